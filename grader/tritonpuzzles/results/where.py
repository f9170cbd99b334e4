"""Say in words where the true elements of a mask lie: "columns 768 to 780", "rows 4 and after"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MAX_LISTED = 4
Mask = npt.NDArray[np.bool_]


def describe(mask: Mask, axes: Sequence[str] = ("row", "column")) -> str:
    """Return where the true elements lie, in as few words as are true.

    Args:
        mask: any number of dimensions; leading ones are folded into the first of two axes.
        axes: singular names of the two axes; a one-dimensional mask uses "element".
    """
    if not mask.any():
        return "nowhere"
    if mask.all():
        return "every element"
    if mask.ndim < 2:
        return span(mask.reshape(-1), "element")
    flat = mask.reshape(-1, mask.shape[-1])
    rows, cols = np.logical_or.reduce(flat, axis=1), np.logical_or.reduce(flat, axis=0)
    if not _is_block(flat, rows, cols):
        return _around(flat, axes) or _within(rows, cols, axes)
    if cols.all():
        return f"{span(rows, axes[0])}, whole"
    if rows.all():
        return f"{span(cols, axes[1])} of every {axes[0]}"
    return f"{span(rows, axes[0])}, {span(cols, axes[1])}"


def _is_block(flat: Mask, rows: Mask, cols: Mask) -> bool:
    return bool((flat == (rows[:, None] & cols[None, :])).all())


def _around(flat: Mask, axes: Sequence[str]) -> str:
    """Say that all but a block of a matrix is true, where that is so; else ""."""
    rows, cols = np.logical_or.reduce(~flat, axis=1), np.logical_or.reduce(~flat, axis=0)
    return f"all but {span(rows, axes[0])}, {span(cols, axes[1])}" if _is_block(~flat, rows, cols) else ""


def _within(rows: Mask, cols: Mask, axes: Sequence[str]) -> str:
    """Say in which rows and columns the true elements of a matrix lie, not all of which are true."""
    found = [span(hits, axis) for hits, axis in ((rows, axes[0]), (cols, axes[1])) if not hits.all()]
    return f"in {', '.join(found)}" if found else "all over"


def span(mask: Mask, axis: str) -> str:
    """Return the indices that are true along one axis in words, such as "columns 256 and after"."""
    hits = np.flatnonzero(mask)
    first, last = int(hits[0]), int(hits[-1])
    plural = f"{axis}s"
    if len(hits) == len(mask):
        return f"every {axis}"
    if len(hits) == 1:
        return f"{axis} {first}"
    if len(hits) == last - first + 1:
        return f"{plural} {first} and after" if last == len(mask) - 1 and first else f"{plural} {first} to {last}"
    if len(hits) <= MAX_LISTED:
        return f"{plural} {', '.join(str(hit) for hit in hits)}"
    steps = np.unique(np.diff(hits))
    if len(steps) == 1:
        return f"every {_ordinal(int(steps[0]))} {axis} from {first} on"
    return f"{len(hits):,} {plural} between {first} and {last}"


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"
