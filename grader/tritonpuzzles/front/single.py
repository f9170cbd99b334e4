"""What commands about one file mean: the puzzle and the file."""

from __future__ import annotations

from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Request, Selection, Source, select


def select_one(command: str, name: str | None, source: Source) -> tuple[Selection, Puzzle, Path]:
    """Return the one puzzle and file that a command line means; without N, the next unsolved puzzle.

    Raises:
        FrontError: if it means several, or none.
    """
    selection = select(Request((name,) if name is not None else (), source))
    if len(selection.items) != 1:
        raise FrontError(f"{command} takes one puzzle, not {len(selection.items)}.", f"tritonpuzzles {command} 3")
    return selection, *selection.items[0]
