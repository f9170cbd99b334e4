"""One tensor argument and its addresses, and the lanes of an operation that fall into it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tritonpuzzles.engine.interpreter import phantom
from tritonpuzzles.engine.interpreter.errors import UnsupportedOperation
from tritonpuzzles.engine.interpreter.storage import Storage, extent_bytes
from tritonpuzzles.engine.interpreter.values import Array

WINDOW = 44  # bits of a window
SIZE_BITS = 21  # of the elements of a tile, 2^20 at most
HALF = np.uint64(1 << (WINDOW - 1))


class Region:
    """One tensor argument and its window."""

    def __init__(self, number: int, name: str, tensor: torch.Tensor, storage: Storage) -> None:
        self.name, self.tensor, self.storage = name, tensor, storage
        self.width = tensor.element_size()
        self.shift = self.width.bit_length() - 1
        self.base = ((number + 1) << WINDOW) + tensor.data_ptr() % 256  # virtual; its low bits are the real ones
        self.limit = extent_bytes(tensor)
        self.first_byte = tensor.storage_offset() * self.width  # in its storage
        self._has_gaps = self.elements != tensor.numel()
        self._inside: Array | None = None

    @property
    def elements(self) -> int:
        """Elements from the first to the last, gaps included."""
        return self.limit // self.width

    def _in_view(self, elements: Array, active: Array | None) -> Array:
        """Return which elements of the extent belong to the view; those beyond it do as its last one does."""
        if not self.storage.holds:  # a division for each lane: lanes that take no part are left out
            found = np.ones(elements.shape, dtype=np.bool_)
            taking_part = ... if active is None else active
            found[taking_part] = phantom.inside(self.tensor, elements[taking_part])
            return found
        if self._inside is None:
            self._inside = np.zeros(self.elements, dtype=np.bool_)
            np.lib.stride_tricks.as_strided(self._inside, tuple(self.tensor.shape), self.tensor.stride())[...] = True
        return self._inside.take(elements, mode="clip")

    def outside(self, offsets: Array, width: int, active: Array | None) -> Array | None:
        """Return which byte offsets, of those that are active, do not lie in the tensor; None if all do."""
        if self.limit < width:
            return np.ones(offsets.shape, dtype=np.bool_)
        beyond: Array = offsets.view(np.uint64) > np.uint64(self.limit - width)  # negative ones are huge
        if not self._has_gaps:
            return beyond if beyond.any() else None
        bad: Array = beyond | ~self._in_view(offsets >> self.shift, active)
        return bad if bad.any() else None

    def typed(self, kind: np.dtype[Any]) -> Array:
        """Return the bytes from the first element to the end of the last as elements of a type."""
        end = int(self.first_byte + self.limit // kind.itemsize * kind.itemsize)
        return self.storage.between(int(self.first_byte), end, kind)


@dataclass
class Lanes:
    """Lanes of one operation that fall into one region; arrays of the operation's shape (programs or 1, *block)."""

    region: Region
    offsets: Array  # bytes from the region's first element
    active: Array | None  # which lanes take part; None is all

    def count(self) -> int:
        """Return the number of active lanes."""
        return int(self.offsets.size if self.active is None else np.count_nonzero(self.active))

    def pick(self, array: Array) -> Array:
        """Return the active lanes of an array, flat."""
        array = np.broadcast_to(array, self.offsets.shape)
        return array.reshape(-1) if self.active is None else array[self.active]

    @property
    def block_size(self) -> int:
        """Lanes of one program's operation, those that take no part included."""
        return math.prod(self.offsets.shape[1:])

    def owners(self, meetings: int) -> Array:
        """Return, as one number for each active lane, which one it is, of how many, after so many meetings of threads.

        A GPU gives the lanes of a tile to threads by its size and their position alone.
        """
        numbers = np.arange(self.block_size).reshape(self.offsets.shape[1:])
        return self.pick(numbers + (meetings << 2 * SIZE_BITS) + (self.block_size << SIZE_BITS))

    def elements(self, width: int) -> Array:
        """Return the numbers of the active elements in their storage, flat.

        Raises UnsupportedOperation if an address is no multiple of the width; a GPU faults.
        """
        offsets = self.pick(self.offsets) + self.region.first_byte
        if width != self.region.width and (offsets & (width - 1)).any():
            raise UnsupportedOperation("misaligned access", f"{width}-byte elements at an address that is no multiple")
        return offsets >> (width.bit_length() - 1)
