"""Cut memory into pieces: sectors that the same operations touch, and which therefore come and go together.

A tile that many programs load is one piece, so that a cache of a million sectors is modelled with a few thousand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tritonpuzzles.engine.cache.touches import SECTOR, Numbers, as_numbers

MOST_PAIRS = 1 << 22  # of an operation and a stretch of memory: half a second
MOST_USES = 1 << 19  # of a piece: another half


class TooManyPiecesError(ValueError):
    """Operations touch memory in too many pieces to be modelled in bounded time."""


@dataclass(frozen=True, eq=False)
class Uses:
    """Which operation touches which piece: arrays of one length, those of an operation in order of address.

    Attributes:
        operations, pieces: of each use.
        sizes: bytes of each piece, by its number.
    """

    operations: Numbers
    pieces: Numbers
    sizes: Numbers


def uses(operations: Numbers, firsts: Numbers, lasts: Numbers) -> Uses:
    """Return what operations touch, piece by piece.

    Pieces are numbered by their first sectors. Within one operation, memory is touched in the order of pieces.

    Args:
        operations: of each run.
        firsts: sector of each run.
        lasts: the last one, included.

    Raises:
        TooManyPiecesError: if that is more than `MOST_PAIRS` stretches or `MOST_USES` pieces.
    """
    if not len(operations):
        return Uses(*(as_numbers([]) for _ in range(3)))
    cuts = np.unique(np.concatenate([firsts, lasts + 1]))
    by, stretches = _pairs(operations, np.searchsorted(cuts, firsts), np.searchsorted(cuts, lasts + 1))
    begins = np.flatnonzero(np.diff(stretches, prepend=-1))  # where the pairs of a stretch begin
    touched = stretches[begins]
    signatures = np.add.reduceat(_random(int(operations.max()) + 1)[by], begins)
    _, first_of, piece_of = np.unique(signatures, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first_of))  # pieces in order of their first stretches
    sizes = np.bincount(number[piece_of], weights=(cuts[touched + 1] - cuts[touched]) * SECTOR)
    leads = np.zeros(len(touched), dtype=np.bool_)
    leads[first_of] = True
    counts = np.diff(begins, append=len(by))
    kept = np.repeat(leads, counts)  # a piece is touched wherever its first stretch is
    if np.count_nonzero(kept) > MOST_USES:
        raise TooManyPiecesError(f"{np.count_nonzero(kept):,} uses of pieces; the most is {MOST_USES:,}")
    return Uses(by[kept], np.repeat(number[piece_of], counts)[kept], as_numbers(sizes))


def _pairs(operations: Numbers, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """Return each pair of an operation and a stretch that it touches once, in order of stretches."""
    lengths = ends - begins
    total = int(lengths.sum())
    if total > MOST_PAIRS:
        raise TooManyPiecesError(f"{total:,} stretches of memory; the most is {MOST_PAIRS:,}")
    within = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    span = int(operations.max()) + 1
    keys = np.unique((np.repeat(begins, lengths) + within) * span + np.repeat(operations, lengths))
    return keys % span, keys // span


def _random(count: int) -> NDArray[np.uint64]:
    """Return numbers of which no two sums are alike: 64 bits, always the same ones."""
    return np.random.default_rng(0).integers(0, 1 << 64, size=count, dtype=np.uint64)
