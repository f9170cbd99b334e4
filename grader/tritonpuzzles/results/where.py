"""Say in words where the true elements of a mask lie: "columns 768 to 780", "rows 4 and after"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

MAX_LISTED = 4
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Span:
    """Some indices along one axis."""

    size: int  # of the axis
    count: int  # and first, last: of the indices
    first: int
    last: int
    step: int  # from one to the next, where that is always the same; else 0
    listed: tuple[int, ...]  # all of them, where they are few

    @classmethod
    def of(cls, mask: Mask) -> Span:
        """Return the indices that are true along one axis, of which there are some."""
        hits = np.flatnonzero(mask)
        steps = np.unique(np.diff(hits))
        listed = tuple(hits.tolist()) if len(hits) <= MAX_LISTED else ()
        return cls(len(mask), len(hits), int(hits[0]), int(hits[-1]), int(steps[0]) if len(steps) == 1 else 0, listed)

    @property
    def is_all(self) -> bool:
        """Whether every index is one of them."""
        return self.count == self.size

    def words(self, axis: str) -> str:
        """Return them in words, such as "columns 256 and after"."""
        first, last, plural = self.first, self.last, f"{axis}s"
        if self.is_all:
            return f"every {axis}"
        if self.count == 1:
            return f"{axis} {first}"
        if self.count == last - first + 1:
            return f"{plural} {first} and after" if last == self.size - 1 and first else f"{plural} {first} to {last}"
        if self.listed:
            return f"{plural} {', '.join(str(hit) for hit in self.listed)}"
        if self.step:
            return f"every {_ordinal(self.step)} {axis} from {first} on"
        return f"{self.count:,} {plural} between {first} and {last}"


@dataclass(frozen=True)
class Region:
    """Where the true elements of a mask lie; leading dimensions are folded into the first of two axes."""

    # no element, all, indices of one dimension, a block of rows and columns, all but a block, or anything else
    form: Literal["none", "all", "line", "block", "around", "within"]
    spans: tuple[Span, ...] = ()  # of the dimension; else of rows and columns: of the block, or of all true elements

    def __post_init__(self) -> None:
        if len(self.spans) != {"none": 0, "all": 0, "line": 1}.get(self.form, 2):
            raise ValueError("a region has other axes than its form")

    @classmethod
    def of(cls, mask: Mask) -> Region:
        """Return where a mask of any number of dimensions is true."""
        if not mask.any() or mask.all():
            return cls("all" if mask.any() else "none")
        if mask.ndim < 2:
            return cls("line", (Span.of(mask.reshape(-1)),))
        flat = mask.reshape(-1, mask.shape[-1])
        rows, cols = _axes(flat)
        if _is_block(flat, rows, cols):
            return cls("block", (Span.of(rows), Span.of(cols)))
        around = _axes(~flat)
        if _is_block(~flat, *around):
            return cls("around", (Span.of(around[0]), Span.of(around[1])))
        return cls("within", (Span.of(rows), Span.of(cols)))

    def words(self, axes: Sequence[str] = ("row", "column")) -> str:
        """Return a short description, with singular names of the axes: "columns 768 to 780 of every row"."""
        if self.form in ("none", "all"):
            return "nowhere" if self.form == "none" else "every element"
        if self.form == "line":
            return self.spans[0].words("element")
        rows, cols = self.spans
        if self.form == "within":
            found = [span.words(axis) for span, axis in zip(self.spans, axes, strict=True) if not span.is_all]
            return f"in {', '.join(found)}" if found else "all over"
        if self.form == "block" and cols.is_all:
            return f"{rows.words(axes[0])}, whole"
        if self.form == "block" and rows.is_all:
            return f"{cols.words(axes[1])} of every {axes[0]}"
        return f"{'all but ' * (self.form == 'around')}{rows.words(axes[0])}, {cols.words(axes[1])}"


def _axes(flat: Mask) -> tuple[Mask, Mask]:
    """Return which rows and which columns have a true element."""
    return np.logical_or.reduce(flat, axis=1), np.logical_or.reduce(flat, axis=0)


def _is_block(flat: Mask, rows: Mask, cols: Mask) -> bool:
    return bool((flat == (rows[:, None] & cols[None, :])).all())


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"
