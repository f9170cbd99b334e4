"""What DRAM reads of the inputs behind a small GPU's L2 cache, by a model, with a bar beside the plainest order's."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import element, heading
from tritonpuzzles.front.report.dram import each_read, modelled, times_read
from tritonpuzzles.results.check import PuzzleResult


def dram_html(result: PuzzleResult) -> Markup:
    """Return the section on the L2 cache; nothing where the puzzle does not ask for it."""
    if result.dram is None:
        return Markup("")
    told = Markup("").join(element("p", text) for text in (each_read(result.dram), modelled(result.dram)))
    return heading("L2 cache", times_read(result.dram)) + told
