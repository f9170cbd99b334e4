"""Say in words where the true elements of a mask lie: "columns 768 to 780", "rows 4 and after"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MAX_LISTED = 4


def describe(mask: npt.NDArray[np.bool_], axes: Sequence[str] = ("row", "column")) -> str:
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
    is_block = bool((flat == (rows[:, None] & cols[None, :])).all())
    row_words, col_words = span(rows, axes[0]), span(cols, axes[1])
    if cols.all():
        return f"{row_words}, whole" if is_block else row_words if not rows.all() else "all over"
    if rows.all():
        return f"{col_words} of every {axes[0]}" if is_block else col_words
    return f"{row_words}, {col_words}"


def span(mask: npt.NDArray[np.bool_], axis: str) -> str:
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
