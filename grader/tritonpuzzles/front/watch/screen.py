"""What is on the screen: a page, below it where one is in the curriculum, the file, the keys, and a line that changes.

A page is the current report, or the output of a key. If it is longer than the terminal, one part is shown, at first
its beginning, which says what is wrong.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.columns import Columns
from rich.style import Style
from rich.table import Table
from rich.text import Text

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.check import next_step
from tritonpuzzles.front.cli import explained
from tritonpuzzles.front.grading import Graded, next_unsolved
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import Lines, highlighted, indented, next_line
from tritonpuzzles.front.report import report_lines
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import Workspace, shown
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.shipped import has_solutions, solution_file
from tritonpuzzles.results.check import PuzzleResult, Verdict

CLEAR = "\x1b[H\x1b[2J"
CLEAR_LINE = "\r\x1b[2K"
CELLS = 4  # of the bar, for each puzzle
MORE = " "  # shows more of a page that is longer than the terminal; the page's last line says so
YES, QUIT = "y", "q"
Page = Callable[[View], Lines]  # made for the width that the terminal has just now
KEYS = {
    "n": "next", "p": "previous", "h": "hint", "d": "diff", "t": "trace", "b": "bench", "l": "list", "r": "reset",
    QUIT: "quit",
}  # fmt: skip


class Screen:
    """Standard output, which is a terminal."""

    def __init__(self) -> None:
        self._top = 0  # the first line of the page that is shown
        self._part = 0  # number of shown lines, if the page is longer than the terminal; otherwise 0

    @property
    def is_cut(self) -> bool:
        """Whether the page is longer than the terminal."""
        return self._part > 0

    def go_on(self) -> None:
        """Show the next part of the page at the next `draw`; after the last one, the first."""
        self._top += self._part

    def go_back(self) -> None:
        """Show the first part of a page at the next `draw`."""
        self._top = 0

    @property
    def width(self) -> int:
        """Columns of the page."""
        return console.stdout().width

    def draw(self, page: Lines, footer: Lines, last: Text) -> None:
        """Draw the whole screen again."""
        lines, below = _printed(page), _printed([Text(), *footer])
        room = max(2, console.stdout().height - len(below) - 1)  # the terminal's last line is `last`
        self._part = room - 1 if len(lines) > room else 0
        self._top = self._top if self.is_cut and self._top < len(lines) else 0
        if self.is_cut:
            part = lines[self._top : self._top + self._part]
            where = f"lines {self._top + 1} to {self._top + len(part)} of {len(lines)}; space shows the others"
            lines = [*part, *_printed([Text(where, style="dim")])]
        _write(CLEAR + "".join([*lines, *below]))
        self.say(last)

    def say(self, last: Text) -> None:
        """Replace the last line; it is cut at the terminal's width."""
        out = console.console_on(sys.stdout)
        line = last.copy()
        line.truncate(max(1, out.width - 1), overflow="ellipsis")
        with out.capture() as captured:
            out.print(line, end="", soft_wrap=True)
        _write(CLEAR_LINE + captured.get())

    def clear(self) -> None:
        """Leave nothing there."""
        _write(CLEAR)

    def leave(self) -> None:
        """Move the cursor below the screen's content."""
        _write("\n")


def footer_lines(states: Sequence[str], current: int, fails: bool, file: Path, keys: Mapping[str, str]) -> Lines:
    """Return the lines below every page: each puzzle's state (see `Progress.word`), the watched file, the keys.

    `current` is the index of its puzzle, and `fails` whether it did not pass in its last check.
    """
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text("Puzzles", "bold"), curriculum_bar(states, current, fails))
    link = Style(link=file.absolute().as_uri(), underline=True)  # where the terminal has such
    grid.add_row(Text("File", "bold"), Text(one_line(shown(file)), link, overflow="fold"))
    words = (Text.assemble((letter, "bold cyan"), f" {word}") for letter, word in keys.items())
    grid.add_row(Text("Keys", "bold"), Columns(words, padding=(0, 2)))
    return [grid]


def curriculum_bar(states: Sequence[str], current: int, fails: bool) -> Text:
    """Return a block for each puzzle, full if solved, and the count; it tells if a solved one fails now."""
    line = Text()
    for index, state in enumerate(states):
        style = "green" if state == "solved" else "bold cyan" if index == current else "dim"
        line.append(("█" if state == "solved" else "░") * CELLS, style)
    line.append(f"  {sum(state == 'solved' for state in states)} of {len(states)} solved")
    return line.append(", this file fails" if fails and states[current] == "solved" else "")


def _printed(lines: Lines) -> list[str]:
    """Return the terminal output for some lines, row by row."""
    out = console.stdout()
    with out.capture() as captured:
        for line in lines:
            out.print(line)
    return captured.get().splitlines(keepends=True)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


@dataclass(frozen=True)
class Commands:
    """What the commands of the same names do, as pages."""

    hint: Callable[[Puzzle], Lines]
    story: Callable[[Puzzle], Lines]
    list: Callable[[int], Lines]
    reset: Callable[[Puzzle], Lines]
    bench: Callable[[Puzzle], None]


def report_page(graded: Graded, story: Callable[[Puzzle], Lines]) -> Page:
    """Return the report; of a right file also that it is solved, of a stub its story."""
    (result,) = graded.report.results
    puzzle = graded.curriculum.find(str(result.puzzle))

    def page(view: View) -> Lines:
        lines = report_lines(graded.report, view, lambda result: step_after(graded, puzzle, result))
        if result.passed:
            return [*lines, Text(), *solved_lines(graded, puzzle)]
        return [*story(puzzle), Text(), *lines] if result.verdict is Verdict.UNSOLVED else lines

    return page


def step_after(graded: Graded, puzzle: Puzzle, result: PuzzleResult) -> str | None:
    """Return the next step, as a key or a save if possible; otherwise that of `check`."""
    if graded.workspace is None or is_swapped(graded.workspace, puzzle):
        return next_step(graded, result)
    match result.verdict:
        case Verdict.PASS:
            return None
        case Verdict.UNSOLVED:
            return f"write the TODO part of {shown(graded.workspace.file(puzzle))}, and save"
        case Verdict.ERROR if any(finding.code == "missing-file" for finding in result.findings):
            return "r puts the stub there"
        case Verdict.FAIL:
            seen = graded.progress.get(puzzle.slug, Progress()).hints
            return f"h shows hint {seen + 1} of {HINTS}" if seen < HINTS else f"h shows all {HINTS} hints again"
    return next_step(graded, result)


def solved_lines(graded: Graded, puzzle: Puzzle) -> Lines:
    """Return that a puzzle is solved, and what to read next."""
    if graded.workspace is not None and is_swapped(graded.workspace, puzzle):
        return [Text("This was the solution: the puzzle does not count as solved.", style="yellow")]
    following = next_unsolved(graded.curriculum, graded.progress)
    lines: Lines = [Text(f"Solved: {puzzle.title}.", style="bold green")]
    compared = "d compares your file with the solution; " if has_solutions() else ""
    lines.append(indented(Text(f"{compared}t shows what each line reads and writes.")))
    if following is None:
        return [*lines, next_line("every puzzle is solved; l shows them")]
    onward = f"puzzle {following.number}, {following.title}: {following.idea}"
    return [*lines, next_line(f"n goes on to {onward}" if following.number > puzzle.number else onward)]


def diff_page(workspace: Workspace, puzzle: Puzzle) -> Page:
    """Return how the learner's file differs from the solution, which comes second."""
    mine, theirs = workspace.file(puzzle), solution_file(puzzle)
    names = shown(mine), f"solutions/{theirs.name}"
    texts = (harmless(read_small(path).decode("utf-8-sig", "replace")) for path in (mine, theirs))
    one, other = (text.splitlines() for text in texts)
    lines = list(difflib.unified_diff(one, other, *names, lineterm=""))

    def page(view: View) -> Lines:
        if not lines:
            return [Text("Your file is the solution, letter by letter.")]
        code = highlighted("\n".join(lines), "diff")
        return [Text.assemble(("Your file and the solution", "bold"), f"  {names[0]}"), Text(), code]

    return page


def error_page(error: Exception) -> Page:
    """Return what stopped a check, and what to do about it."""
    sentence, step, _ = explained(error)
    lines: Lines = [Text.assemble(("! ", "bold magenta"), harmless(sentence))]
    return lambda view: [*lines, next_line(harmless(step))] if step else lines
