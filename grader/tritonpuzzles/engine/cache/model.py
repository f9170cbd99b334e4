"""The bytes that DRAM moves for some launches, one after the other, behind an L2 cache."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from tritonpuzzles.engine.cache.pieces import LOAD, STORE, Numbers, Touches, as_numbers, joined, uses


@dataclass(frozen=True, eq=False)
class Round:
    """One launch as the cache sees it."""

    touches: Touches  # of its programs
    at_once: int  # how many of them run at once
    capacity: float  # size of the cache during the launch, in bytes
    kept: float = inf  # the most bytes from earlier launches that remain in the cache at its start


@dataclass(frozen=True)
class Moved:
    """Bytes between DRAM and the L2 cache, whole sectors, by label."""

    read: tuple[int, ...]  # by loads and atomic operations that did not find them in the cache
    written: tuple[int, ...]  # that stores and atomic operations made dirty


def moved(rounds: Sequence[Round], labels: int) -> Moved:
    """Return the bytes that DRAM moves for launches that run one after the other, from an empty cache.

    Programs of a launch interleave as in `operations`; the cache evicts the least recently used pieces. `labels` is the
    number of labels that bytes are counted by. Raises TooManyPiecesError if memory is touched in too many pieces.
    """
    found = [operations(item.touches, item.at_once) for item in rounds]
    starts = np.cumsum([0, *(len(programs) for programs, _, _ in found)])
    everything = [item.touches for item in rounds]
    numbers = joined([of_runs + start for (_, _, of_runs), start in zip(found, starts, strict=False)])
    used = uses(numbers, joined([t.firsts for t in everything]), joined([t.lasts for t in everything]))
    kinds, names = np.zeros((2, starts[-1]), dtype=np.int64)
    kinds[numbers], names[numbers] = (joined([t.kinds for t in everything]), joined([t.labels for t in everything]))
    cache = Lru(used.sizes.tolist(), labels)
    for item, (programs, turns, _), start in zip(rounds, found, starts, strict=False):
        places = np.zeros(len(programs), dtype=np.int64)
        places[np.lexsort((programs, turns))] = np.arange(len(places))  # the order in which they reach memory
        mine = np.flatnonzero((start <= used.operations) & (used.operations < start + len(places)))
        mine = mine[np.lexsort((used.pieces[mine], places[used.operations[mine] - start]))]
        by = used.operations[mine]
        cache.give_up(item.kept)
        cache.use(used.pieces[mine].tolist(), kinds[by].tolist(), names[by].tolist(), item.capacity)
    return Moved(tuple(cache.read), tuple(cache.written))


class Lru:
    """A write-back cache over numbered pieces of memory.

    A load that misses reads the piece from DRAM. A store reads nothing: it makes the piece dirty. A dirty piece is
    written to DRAM once, when it is evicted or at the end. An atomic operation does both.
    """

    def __init__(self, sizes: Sequence[int], labels: int) -> None:
        self.read, self.written = [0] * labels, [0] * labels  # bytes that DRAM moves, by label
        self._sizes = sizes  # bytes of each piece
        self._held: OrderedDict[int, bool] = OrderedDict()  # piece -> whether it is dirty, least recently used first
        self._bytes = 0

    def give_up(self, capacity: float) -> None:
        """Evict the least recently used pieces until at most so many bytes are left."""
        while self._bytes > capacity:
            self._bytes -= self._sizes[self._held.popitem(last=False)[0]]

    def use(self, pieces: Sequence[int], kinds: Sequence[int], labels: Sequence[int], capacity: float) -> None:
        """Use pieces one after the other, in a cache of so many bytes."""
        held, sizes, used = self._held, self._sizes, self._bytes
        for piece, kind, label in zip(pieces, kinds, labels, strict=True):
            dirty = held.pop(piece, None)
            if dirty is None:
                used += sizes[piece]
                if kind != STORE:
                    self.read[label] += sizes[piece]
            if kind != LOAD and not dirty:
                self.written[label] += sizes[piece]
            held[piece] = bool(dirty) or kind != LOAD
            while used > capacity:
                used -= sizes[held.popitem(last=False)[0]]
        self._bytes = used


def operations(touches: Touches, at_once: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the program and the round of each operation of a launch, and the number of the operation of each run.

    They are sorted by program and then by time. At first `at_once` programs start, in launch order. In each round every
    running program does one operation; when one has finished, the next program starts.
    """
    if not len(touches):
        return as_numbers([]), as_numbers([]), as_numbers([])
    span = int(touches.times.max()) + 1
    keys, of_runs = np.unique(touches.programs * span + touches.times, return_inverse=True)
    programs = keys // span
    _, firsts, counts = np.unique(programs, return_index=True, return_counts=True)
    starts = np.repeat(starting_turns(counts.tolist(), at_once), counts)
    return programs, starts + np.arange(len(keys)) - np.repeat(firsts, counts), as_numbers(of_runs)


def starting_turns(lengths: list[int], at_once: int) -> Numbers:
    """Return the round in which each program starts, from the operations of each, in launch order; `at_once` >= 1."""
    free = [0] * min(at_once, len(lengths))
    starts = []
    for length in lengths:
        starts.append(free[0])
        heapq.heapreplace(free, free[0] + length)
    return as_numbers(starts)
