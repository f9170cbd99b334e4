"""What to do next, after a result: a command where there is one."""

from __future__ import annotations

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.front.grading import Graded, next_unsolved
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.results.check import PuzzleResult, Verdict


def next_step(graded: Graded, result: PuzzleResult) -> str | None:
    """Return the next step after a check, or `None` where there is none to give."""
    if result.verdict is Verdict.INFRA_ERROR:
        return "tritonpuzzles doctor"
    if graded.case is not None:
        return None if result.verdict is Verdict.UNSOLVED else f"tritonpuzzles check {result.puzzle} runs every case"
    if not graded.source.own or graded.workspace is None:
        return None
    puzzle = graded.curriculum.find(str(result.puzzle))
    if graded.source.cell is None and is_swapped(graded.workspace, puzzle):
        return f"tritonpuzzles swap {puzzle.number} (this was the solution; your file comes back)"
    match result.verdict:
        case Verdict.PASS:
            return _onward(graded)
        case Verdict.UNSOLVED:
            file = shown(graded.workspace.file(puzzle))
            return f"tritonpuzzles show {puzzle.number}, then write the TODO part of {file}"
        case Verdict.ERROR if any(finding.code == "missing-file" for finding in result.findings):
            return f"tritonpuzzles reset {puzzle.number} puts the stub there"
        case Verdict.FAIL | Verdict.ERROR:
            return hint_step(puzzle, graded.progress.get(puzzle.slug, Progress()))
    return None


def hint_step(puzzle: Puzzle, progress: Progress) -> str:
    """Return the command for the next hint, and which it will be."""
    if progress.hints >= HINTS:
        return f"tritonpuzzles hint {puzzle.number} (you have seen all {HINTS})"
    return f"tritonpuzzles hint {puzzle.number} ({progress.hints + 1} of {HINTS})"


def _onward(graded: Graded) -> str | None:
    """Return the next puzzle; after the pass that solved the last one the summary says what is next."""
    following = next_unsolved(graded.curriculum, graded.progress)
    if following is None:
        return None if graded.completed else "every puzzle is solved; tritonpuzzles list shows them"
    return f"puzzle {following.number}, {following.title}: tritonpuzzles show {following.number}"
