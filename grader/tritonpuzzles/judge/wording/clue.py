"""What explains that a kernel leaves a matrix."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.source.steps import Apart


@dataclass(frozen=True)
class Clue:
    """What explains it, and what to do.

    Attributes:
        at_line: where it stands, if that is another line than the access.
        of_grid: it is the number of programs that is wrong.
        is_certain: a stride is wrong, whatever else is; a mask may be right, and the matrix another one.
    """

    said: str
    advice: str
    at_line: int | None = None
    is_certain: bool = True
    of_grid: bool = False


def begun_apart(apart: Apart) -> Clue:
    """Say that programs take one number of rows each, and begin at multiples of another."""
    return Clue(
        f"Line {apart.line} begins at {apart.begins} times a number and takes {apart.takes} from there.",
        f"Begin at {apart.takes} times the program's number: each program goes on where another ends.",
        apart.line,
        is_certain=False,
    )
