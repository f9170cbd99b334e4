"""Programs: how many a launch has, what each of them does, and how far they fill the GPU."""

from __future__ import annotations

from rich.text import Text

from tritonpuzzles.front.report.style import Lines, heading, indented
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.occupancy import GridOccupancy, limited_by, product

OF_PROGRAMS = frozenset({"more-programs-than-fit", "idle-multiprocessors", "occupancy-unknown"})


def occupancy_lines(result: PuzzleResult) -> Lines:
    """Return the section on programs; nothing where the puzzle does not ask how many a GPU holds.

    Of a file that fails for something else it is one line, as its traffic is.
    """
    if result.occupancy is None:
        return []
    head = heading("Programs", shared_out(result.occupancy, result.passed))
    if not result.passed and not any(finding.code in OF_PROGRAMS for finding in result.findings):
        return head
    return [*head, indented(Text(on_the_gpu(result.occupancy)))]


def shared_out(found: GridOccupancy, evenly: bool) -> str:
    """Return `432 for 1,823 rows, 4 or 5 each`; how many each only where it is known that they share evenly."""
    if not evenly:
        return f"{found.programs:,} for {found.work:,} {one_line(found.work_word)}"
    each = f"{found.least:,} or {found.most:,}" if found.least != found.most else f"{found.most:,}"
    return f"{found.programs:,} for {found.work:,} {one_line(found.work_word)}, {each} each"


def on_the_gpu(found: GridOccupancy) -> str:
    """Return how far a grid fills the GPU, one sentence."""
    fit = f"{product(found.multiprocessors, found.fit)} = {found.at_once:,} fit at once"
    return f"{one_line(found.gpu)}: {fit}; {limited_by(found.fit)}. Occupancy {percent(found.occupancy)} of its warps."
