"""The end of the course: what was earned, how fast each puzzle is, and what there is to do now."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum
from tritonpuzzles.front.report.stars import MOST, star_signs
from tritonpuzzles.front.report.style import Lines, View, heading, indented
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.front.workspace.contents import Entries
from tritonpuzzles.front.workspace.progress import Best, Progress
from tritonpuzzles.front.workspace.shipped import tuned_file

BAR, MIN_BAR_WIDTH = 30, 72  # columns: of the longest bar, and of a terminal that has room for it
NONE = "-"


def finish_lines(curriculum: Curriculum, entries: Entries, view: View) -> Lines:
    """Return the summary: stars, the ladder of the best speeds, what is next."""
    solved = [(puzzle, entries.get(puzzle.slug, Progress())) for puzzle in curriculum.puzzles]
    stars = sum(entry.stars_now for _, entry in solved)
    title = heading("Every puzzle is solved", f"{stars} of {MOST * len(solved)} stars")
    return [*title, indented(_ladder(solved, view)), *_next(solved)]


def _ladder(solved: list[tuple[Puzzle, Progress]], view: View) -> Table:
    """Return a line per puzzle: its stars, its best speed, and that as a bar beside others in the same unit."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(overflow="fold")
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    bests = [entry.best for _, entry in solved if entry.best is not None]
    for puzzle, entry in solved:
        speed = f"{significant(entry.best.rate)} {one_line(entry.best.unit)}" if entry.best else NONE
        bar = _bar(entry.best, bests) if entry.best and view.width >= MIN_BAR_WIDTH else ""
        stars = Text(star_signs(entry.stars_now), style="bold yellow")
        grid.add_row(Text(f"p{puzzle.number:02d} {puzzle.slug}"), stars, Text(speed), Text(bar, style="dim"))
    return grid


def _bar(best: Best, bests: list[Best]) -> str:
    most = max(other.rate for other in bests if other.unit == best.unit)
    return "█" * round(BAR * best.rate / most) if most > 0 else ""


def _next(solved: list[tuple[Puzzle, Progress]]) -> Lines:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for command, what in _steps(solved):
        grid.add_row(Text(f"tritonpuzzles {command}"), Text(what))
    return [*heading("What is next"), indented(grid)]


def _steps(solved: list[tuple[Puzzle, Progress]]) -> list[tuple[str, str]]:
    """Return commands, and what they are good for now."""
    on_gpu = "" if any(entry.best for _, entry in solved) else "on a machine with a GPU: "
    tuned = [puzzle.number for puzzle, _ in solved if tuned_file(puzzle) is not None]
    missing = next((puzzle.number for puzzle, entry in solved if entry.best and entry.stars_now < MOST), None)
    steps = []
    if missing is not None:
        steps.append((f"bench {missing}", f"where puzzle {missing} loses speed: it has a star to earn"))
    if tuned:
        numbers = ", ".join(map(str, tuned))
        steps.append((f"solution {tuned[0]} --tuned", f"a kernel made for speed, to read; there is one for {numbers}"))
    steps.append(("bench --ladder", f"{on_gpu}all puzzles, from naive PyTorch to tuned"))
    steps.append(("roofline", "the speed that a GPU allows for each puzzle"))
    return steps
