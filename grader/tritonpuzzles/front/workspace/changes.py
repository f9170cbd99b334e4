"""How a copy that was put aside differs from the file as it stands, in a few words."""

from __future__ import annotations

from collections import Counter

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
    try:
        there = read_small(copy.file)
    except OSError:
        return f"{plural(len(mine.splitlines()), 'line')}, no file there now"
    return compared(mine, there)


def compared(text: bytes, other: bytes) -> str:
    """Return `81 lines, +3 -2` of a text beside another."""
    mine, there = Counter(text.splitlines()), Counter(other.splitlines())
    return f"{plural(mine.total(), 'line')}, +{(mine - there).total()} -{(there - mine).total()}"
