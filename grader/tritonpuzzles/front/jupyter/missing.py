"""A file that is not there: said at once, and not behind the seconds that the grader's imports take."""

from __future__ import annotations

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Request, select
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.submission import Submission


def refuse_missing(request: Request) -> None:
    """Refuse to check one file that is not there; of several the report says it.

    Raises:
        FrontError: with how to get it back.
    """
    items = select(request, lambda _: None).items  # a warning is given by the check itself
    if len(items) == 1:
        refuse_missing_file(*items[0], request.source.own)


def refuse_missing_file(puzzle: Puzzle, file: Submission, own: bool) -> None:
    """Refuse to go on with a file that is not there.

    Raises:
        FrontError: with how to get it back.
    """
    if not file.opened.exists():
        step = f"tritonpuzzles reset {puzzle.number} puts the stub there" if own else "name a file that is there"
        raise FrontError(f"There is no {shown(file.opened)}.", step)
