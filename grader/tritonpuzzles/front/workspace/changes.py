"""How a copy that was put aside differs from the file as it stands, in a few words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.restore import Copy
from tritonpuzzles.results.words import plural


def changes(copy: Copy) -> str:
    """Return `81 lines, +3 -2`: how many lines it has, would bring to the file, and take from it."""
    try:
        mine = read_small(copy.path)
    except OSError:
        return "not readable"
    if copy.is_here:
        return f"{plural(len(mine.splitlines()), 'line')}, the same as now"
    return compared(mine, copy.file)


def compared(text: bytes, file: Path) -> str:
    """Return the same of a text beside a file."""
    mine = text.splitlines()
    size = plural(len(mine), "line")
    try:
        there = read_small(file).splitlines()
    except OSError:
        return f"{size}, no file there now"
    brought, taken = Counter(mine) - Counter(there), Counter(there) - Counter(mine)
    return f"{size}, +{sum(brought.values())} -{sum(taken.values())}"
