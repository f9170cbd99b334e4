"""A cache that gives up what was not used for longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from tritonpuzzles.engine.cache.touches import LOAD, STORE


class Lru:
    """A write-back cache over numbered pieces of memory.

    A load of what is not there brings it from DRAM. A store brings nothing: it makes the piece dirty, and whatever
    becomes dirty is written to DRAM once, when it is given up or at the end. An atomic operation does both.

    Args:
        sizes: bytes of each piece.
        labels: how many things bytes are counted under.

    Attributes:
        read, written: bytes that DRAM moves, by label.
    """

    def __init__(self, sizes: Sequence[int], labels: int) -> None:
        self.read, self.written = [0] * labels, [0] * labels
        self._sizes = sizes
        self._held: OrderedDict[int, bool] = OrderedDict()  # piece -> whether it is dirty, least recently used first
        self._bytes = 0

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
