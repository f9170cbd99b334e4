"""The bytes that DRAM moves for some launches, one after the other, behind an L2 cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.engine.cache.lru import Lru
from tritonpuzzles.engine.cache.pieces import uses
from tritonpuzzles.engine.cache.touches import Touches, joined
from tritonpuzzles.engine.cache.turns import operations


@dataclass(frozen=True, eq=False)
class Round:
    """One launch as the cache sees it.

    Attributes:
        touches: of its programs.
        at_once: how many of them run at once.
        capacity: bytes that the cache holds meanwhile.
    """

    touches: Touches
    at_once: int
    capacity: float


@dataclass(frozen=True)
class Moved:
    """Bytes between DRAM and the L2 cache, whole sectors, by label.

    Attributes:
        read: by loads and atomic operations that did not find them in the cache.
        written: that stores and atomic operations made dirty.
    """

    read: tuple[int, ...]
    written: tuple[int, ...]

    @property
    def total(self) -> int:
        """Of all labels, both ways."""
        return sum(self.read) + sum(self.written)


def moved(rounds: Sequence[Round], labels: int) -> Moved:
    """Return the bytes that DRAM moves for launches that run one after the other, from an empty cache.

    Programs of a launch run at once as `turns` says, and the cache gives up what was not used for longest.

    Args:
        rounds: the launches.
        labels: how many things bytes are counted under.

    Raises:
        TooManyPiecesError: if memory is touched in too many pieces.
    """
    found = [operations(item.touches, item.at_once) for item in rounds]
    starts = np.cumsum([0, *(len(item.programs) for item in found)])
    everything = [item.touches for item in rounds]
    numbers = joined([item.of_runs + start for item, start in zip(found, starts, strict=False)])
    used = uses(numbers, joined([t.firsts for t in everything]), joined([t.lasts for t in everything]))
    kinds, names = np.zeros((2, starts[-1]), dtype=np.int64)
    kinds[numbers], names[numbers] = (joined([t.kinds for t in everything]), joined([t.labels for t in everything]))
    cache = Lru(used.sizes.tolist(), labels)
    for item, its, start in zip(rounds, found, starts, strict=False):
        places = np.zeros(len(its.programs), dtype=np.int64)
        places[its.order()] = np.arange(len(places))
        mine = np.flatnonzero((start <= used.operations) & (used.operations < start + len(places)))
        mine = mine[np.lexsort((used.pieces[mine], places[used.operations[mine] - start]))]
        by = used.operations[mine]
        cache.use(used.pieces[mine].tolist(), kinds[by].tolist(), names[by].tolist(), item.capacity)
    return Moved(tuple(cache.read), tuple(cache.written))
