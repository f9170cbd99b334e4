"""Programs: how many a launch has, what each of them does, and how far they fill the GPU, with a bar."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import bar, element, heading
from tritonpuzzles.front.report.occupancy import on_the_gpu, shared_out
from tritonpuzzles.results.check import PuzzleResult


def occupancy_html(result: PuzzleResult) -> Markup:
    """Return the section on programs; nothing where the puzzle does not ask how many a GPU holds."""
    found = result.occupancy
    if found is None:
        return Markup("")
    filled = element("p", on_the_gpu(found)) + bar(found.occupancy, "")
    return heading("Programs", shared_out(found, result.passed)) + filled
