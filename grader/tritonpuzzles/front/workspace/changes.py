"""How a copy that was put aside differs from the file as it stands, in a few words."""

from __future__ import annotations

from collections import Counter

from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.restore import Copy
from tritonpuzzles.results.words import plural


def changes(copy: Copy) -> str:
    """Return `81 lines, +3 -2`: how many lines it has, would bring to the file, and take from it."""
    try:
        mine = read_small(copy.path).splitlines()
    except OSError:
        return "not readable"
    size = plural(len(mine), "line")
    try:
        there = read_small(copy.file).splitlines()
    except OSError:
        return f"{size}, no file there now"
    if copy.is_here:
        return f"{size}, the same as now"
    brought, taken = Counter(mine) - Counter(there), Counter(there) - Counter(mine)
    return f"{size}, +{sum(brought.values())} -{sum(taken.values())}"
