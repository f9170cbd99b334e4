"""The pages: the report as far as it is known, and what the keys show in its place."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.front.check import next_step
from tritonpuzzles.front.grading import Graded, next_unsolved
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import Lines, highlighted, indented, next_line
from tritonpuzzles.front.report import preliminary_lines, report_lines
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import Workspace, shown
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.shipped import has_solutions, solution_file
from tritonpuzzles.results.check import Preliminary, PuzzleResult, Verdict

Page = Callable[[View], Lines]  # made for the width that the terminal has just now


@dataclass(frozen=True)
class Commands:
    """What the commands of the same names do, as pages."""

    hint: Callable[[Puzzle], Lines]
    story: Callable[[Puzzle], Lines]
    list: Callable[[int], Lines]
    reset: Callable[[Puzzle], Lines]
    bench: Callable[[Puzzle], None]


def known_page(found: Preliminary) -> Page:
    """Return the page of a check that is not at its end."""
    return lambda view: preliminary_lines(found, view)


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
    """Return what to do next, as far as it is a key or a save; else what `check` says."""
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


def error_page(sentence: str, step: str | None) -> Page:
    """Return what stopped a check, and what to do about it."""
    lines: Lines = [Text.assemble(("! ", "bold magenta"), harmless(sentence))]
    return lambda view: [*lines, next_line(harmless(step))] if step else lines
