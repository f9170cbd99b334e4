"""Where something stands: a line of a file, or of the notebook's cell that is checked."""

from __future__ import annotations

from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.results.submission import Submission


def where(line: int, path: str, checked: Submission) -> str:
    """Return `puzzles/p03_online_softmax.py:78`, or `line 24 of the cell`.

    Args:
        line: counted from 1.
        path: of the file that it is a line of.
        checked: the file that was checked.
    """
    if checked.in_cell and path == str(checked):
        return f"line {line} of the cell"
    return f"{shown(one_line(path))}:{line}"
