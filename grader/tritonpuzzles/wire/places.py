"""Where the elements of a strided view lie: what recorder, engine and judge count elements by."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

NOTHING = -1  # in place of an element's number: there is none


def spanned(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return how many elements a view spans, from its first to its last; 0 for an empty one."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) if all(shape) else 0


def row_major_places(shape: Sequence[int], stride: Sequence[int], length: int, first: int = 0) -> npt.NDArray[Any]:
    """Return for each element of a storage its number in a view of it, row by row, `NOTHING` where it has none.

    Args:
        shape: of the view.
        stride: of the view, in elements.
        length: of the storage, in elements; at least `first` and what the view spans.
        first: where the view begins in the storage.
    """
    places = np.full(length, NOTHING, dtype=np.int32)
    view = np.lib.stride_tricks.as_strided(places[first:], tuple(shape), [places.itemsize * step for step in stride])
    view[...] = np.arange(prod(shape), dtype=np.int32).reshape(tuple(shape))
    return places
