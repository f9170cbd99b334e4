"""What the operations of a launch touch, in sectors: the smallest unit between a GPU's DRAM and its L2 cache.

Memory is split into pieces: sectors that the same operations touch, so that they are cached and evicted together. A
tile that many programs load is one piece, so that a few thousand pieces model a cache of a million sectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]

SECTOR = 32  # bytes
LOAD, STORE, ATOMIC = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Touches:
    """Runs of sectors, each of one operation of one program; all arrays have the same length.

    Runs of one operation may overlap: it touches a sector only once. Kind and label are the same for all of them.
    """

    programs: Numbers  # linear number of the program
    times: Numbers  # of the operation; for any one program, operations in order of time
    firsts: Numbers  # first sector of the run, in one numbering of all memory
    lasts: Numbers  # last sector, included
    kinds: Numbers  # `LOAD`, `STORE` or `ATOMIC`
    labels: Numbers  # a small number that its bytes are counted by

    def __len__(self) -> int:
        return len(self.programs)


def as_numbers(values: Any) -> Numbers:
    """Return an array of whole numbers."""
    return np.asarray(values, dtype=np.int64)


def joined(parts: Sequence[Any]) -> Numbers:
    """Concatenate arrays of whole numbers; without any, return an empty one."""
    return np.concatenate([as_numbers(part) for part in parts]) if parts else as_numbers([])


def distinct(values: Numbers) -> Numbers:
    """Return the distinct numbers in ascending order; sorting is 20 times faster than NumPy's hash table."""
    ordered = np.sort(values)
    return as_numbers(ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0])


def in_order_of_stores(touches: Touches) -> Touches:
    """Return the touches with programs renumbered by the first sector that each stores: row by row for a matrix.

    Programs that store nothing come last.
    """
    if not len(touches):
        return touches
    firsts = np.full(int(touches.programs.max()) + 1, np.iinfo(np.int64).max)
    stores = touches.kinds == STORE
    np.minimum.at(firsts, touches.programs[stores], touches.firsts[stores])
    numbers = np.empty_like(firsts)
    numbers[np.argsort(firsts, kind="stable")] = np.arange(len(firsts))
    return replace(touches, programs=numbers[touches.programs])


MOST_PAIRS = 1 << 22  # of an operation and a stretch of memory: they take half a second
MOST_USES = 1 << 19  # of pieces: they take another half a second


class TooManyPiecesError(ValueError):
    """Operations touch memory in too many pieces to be modelled in bounded time."""


@dataclass(frozen=True, eq=False)
class Uses:
    """Which operation touches which piece; the uses of one operation are in order of address."""

    operations: Numbers  # (uses,) number of each
    pieces: Numbers  # (uses,) number of each
    sizes: Numbers  # bytes of each piece, by its number


def uses(operations: Numbers, firsts: Numbers, lasts: Numbers) -> Uses:
    """Return what operations touch, piece by piece, from each run's operation, first and last sector, included.

    Pieces are numbered by their first sectors. Within one operation, memory is touched in the order of pieces. Raises
    TooManyPiecesError if there are more than `MOST_PAIRS` stretches or `MOST_USES` uses of pieces.
    """
    if not len(operations):
        return Uses(*(as_numbers([]) for _ in range(3)))
    leaders, led_by = _alike(operations, firsts, lasts)
    leads = np.zeros(len(led_by), dtype=np.bool_)
    leads[leaders] = True
    kept = leads[operations]
    of_leaders = _pieces(operations[kept], firsts[kept], lasts[kept])
    begins, ends = np.searchsorted(of_leaders.operations, [led_by, led_by + 1])
    counts = ends - begins
    if counts.sum() > MOST_USES:
        raise TooManyPiecesError(f"{counts.sum():,} uses of pieces; the most is {MOST_USES:,}")
    return Uses(np.repeat(np.arange(len(led_by)), counts), of_leaders.pieces[_spans(begins, counts)], of_leaders.sizes)


def _alike(operations: Numbers, firsts: Numbers, lasts: Numbers) -> tuple[Numbers, Numbers]:
    """Group operations that touch the same runs; return one leader for each group, and the leader of each operation.

    Programs that share a row of tiles load the same tiles, so that some thousands of a million runs suffice.
    """
    count = int(operations.max()) + 1
    order = np.argsort(operations, kind="stable")
    numbers, begins = np.unique(operations[order], return_index=True)
    signatures = np.add.reduceat(scattered(firsts, lasts)[order], begins)
    _, first_of, set_of = np.unique(signatures, return_index=True, return_inverse=True)
    led_by = np.arange(count)
    led_by[numbers] = numbers[first_of][set_of]
    return as_numbers(numbers[first_of]), led_by


def scattered(firsts: Numbers, lasts: Numbers) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each run's ends, so that sums practically never collide: SplitMix64 (Steele 2014)."""
    mixed = (firsts.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + lasts.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    found: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return found


def _spans(begins: Numbers, counts: Numbers) -> Numbers:
    """Return `begins[i]` and the `counts[i] - 1` numbers after it, one span after the other."""
    return as_numbers(np.arange(counts.sum()) + np.repeat(begins - (np.cumsum(counts) - counts), counts))


def _pieces(operations: Numbers, firsts: Numbers, lasts: Numbers) -> Uses:
    """Return what operations touch, piece by piece, in order of the operations."""
    cuts = distinct(np.concatenate([firsts, lasts + 1]))
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
    order = np.argsort(by[kept], kind="stable")
    return Uses(by[kept][order], np.repeat(number[piece_of], counts)[kept][order], as_numbers(sizes))


def _pairs(operations: Numbers, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct pairs of an operation and a stretch that it touches, in order of stretches."""
    lengths = ends - begins
    total = int(lengths.sum())
    if total > MOST_PAIRS:
        raise TooManyPiecesError(f"{total:,} stretches of memory; the most is {MOST_PAIRS:,}")
    span = int(operations.max()) + 1
    keys = distinct(_spans(begins, lengths) * span + np.repeat(operations, lengths))
    return keys % span, keys // span


def _random(count: int) -> NDArray[np.uint64]:
    """Return random 64-bit numbers from a fixed seed, whose sums practically never collide."""
    return np.random.default_rng(0).integers(0, 1 << 64, size=count, dtype=np.uint64)
