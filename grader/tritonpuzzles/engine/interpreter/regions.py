"""Virtual addresses: one window per tensor argument, and the lanes of an operation that fall into each.

Every tensor argument has its own 16 TiB window of virtual addresses. So a stray pointer is attributed to the argument
that it was computed from, even with a negative offset, and nothing outside a tensor is ever dereferenced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tritonpuzzles.engine.interpreter import phantom
from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import MisalignedError
from tritonpuzzles.engine.interpreter.ledger import Event, Ledger, Place
from tritonpuzzles.engine.interpreter.storage import Storage, extent_bytes
from tritonpuzzles.engine.interpreter.values import Array, Handle, is_bf16, lift, numpy_dtype
from tritonpuzzles.wire.facts import Wrap

_WINDOW = 44  # bits of a window
_HALF = np.uint64(1 << (_WINDOW - 1))


class Region:
    """One tensor argument and its window."""

    def __init__(self, number: int, name: str, tensor: torch.Tensor, storage: Storage) -> None:
        self.name, self.tensor, self.storage = name, tensor, storage
        self.width = tensor.element_size()
        self.shift = self.width.bit_length() - 1
        self.base = ((number + 1) << _WINDOW) + tensor.data_ptr() % 256  # virtual, with the real address's low bits
        self.limit = extent_bytes(tensor)
        self.first_byte = int(tensor.storage_offset()) * self.width  # in its storage
        self._has_gaps = self.elements != tensor.numel()
        self._inside: Array | None = None

    @property
    def elements(self) -> int:
        """Elements from the first to the last, gaps included."""
        return self.limit // self.width

    def _in_view(self, elements: Array, active: Array | None) -> Array:
        """Return which elements belong to the view; an element beyond the extent counts as the last."""
        if not self.storage.holds:  # needs a division per lane: inactive lanes are skipped
            found = np.ones(elements.shape, dtype=np.bool_)
            taking_part = ... if active is None else active
            found[taking_part] = phantom.inside(self.tensor, elements[taking_part])
            return found
        if self._inside is None:
            self._inside = np.zeros(self.elements, dtype=np.bool_)
            np.lib.stride_tricks.as_strided(self._inside, tuple(self.tensor.shape), self.tensor.stride())[...] = True
        return self._inside.take(elements, mode="clip")

    def outside(self, offsets: Array, width: int, active: Array | None) -> Array | None:
        """Return which byte offsets lie outside the tensor, inactive lanes undefined; None if none does."""
        if self.limit < width:
            return np.ones(offsets.shape, dtype=np.bool_)
        beyond: Array = offsets.view(np.uint64) > np.uint64(self.limit - width)  # negative ones are huge
        if not self._has_gaps:
            return beyond if beyond.any() else None
        bad: Array = beyond | ~self._in_view(offsets >> self.shift, active)
        return bad if bad.any() else None

    def typed(self, kind: np.dtype[Any]) -> Array:
        """Return the bytes from the first element to the end of the last as elements of a type."""
        return self.storage.typed(kind, self.first_byte, self.first_byte + self.limit)


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
        """Number of lanes of one program's operation, inactive ones included."""
        return math.prod(self.offsets.shape[1:])

    def elements(self, width: int) -> Array:
        """Return the numbers of the active elements in their storage, flat.

        Raises MisalignedError if an address is not a multiple of the width.
        """
        offsets = self.pick(self.offsets) + self.region.first_byte
        if width != self.region.width and (offsets & (width - 1)).any():
            raise MisalignedError(width)
        return offsets >> (width.bit_length() - 1)


class Windows:
    """The windows of a launch's tensor arguments."""

    def __init__(self) -> None:
        self.regions: list[Region] = []

    def add(self, name: str, tensor: torch.Tensor, storage: Storage) -> int:
        """Give a tensor argument a window; return its virtual address."""
        region = Region(len(self.regions), name, tensor, storage)
        self.regions.append(region)
        return region.base

    def region(self, address: int) -> Region | None:
        """Return the argument in whose window an address lies."""
        number = ((address + int(_HALF)) >> _WINDOW) - 1
        return self.regions[number] if 0 <= number < len(self.regions) else None

    def of(self, ptrs: Handle) -> Region | None:
        """Return the argument in whose window the first of some pointers lies."""
        return self.region(int(ptrs.data.flat[0])) if ptrs.data.size else None

    def name(self, ptrs: Handle) -> str:
        """Return the name of that argument; "" for none."""
        region = self.of(ptrs)
        return region.name if region else ""

    def nothing(self, ptrs: Handle) -> list[Lanes]:
        """Return the lanes of an operation without active lanes."""
        region, shape = self.of(ptrs), ptrs.data.shape
        return [] if region is None else [Lanes(region, np.zeros(shape, np.int64), np.zeros(shape, np.bool_))]

    def resolve(self, ptrs: Handle, active: Array | None, report: Report) -> list[Lanes]:
        """Attribute lanes to regions; lanes outside every tensor are reported and left out."""
        addresses = ptrs.data if active is None else np.broadcast_to(ptrs.data, active.shape)
        if not addresses.size or (active is not None and not active.any()):
            return []
        report.batch.note_busy(active)
        if ptrs.wrapped is not None:
            report.wrapped(ptrs, active, self.name(ptrs))
        region = self.region(int(addresses.flat[0]))
        if region is not None:  # the usual case: all lanes in one tensor
            offsets = (addresses - np.uint64(region.base)).view(np.int64)
            outside = region.outside(offsets, element_width(ptrs), active)
            if outside is None or not (outside if active is None else outside & active).any():
                return [Lanes(region, offsets, active)]
        everywhere = np.ones(addresses.shape, dtype=np.bool_) if active is None else active
        found = self._scattered(ptrs, addresses, everywhere, report)
        return [lanes for lanes in found if lanes.count()]

    def _scattered(self, ptrs: Handle, addresses: Array, active: Array, report: Report) -> list[Lanes]:
        numbers = ((addresses + _HALF) >> np.uint64(_WINDOW)).astype(np.int64) - 1
        found: list[Lanes] = []
        for number in np.unique(numbers[active]).tolist():
            lanes = active & (numbers == number)
            if not 0 <= number < len(self.regions):
                report.outside("", lanes, None)
                continue
            region = self.regions[number]
            offsets = (addresses - np.uint64(region.base)).view(np.int64)
            outside = region.outside(offsets, element_width(ptrs), lanes)
            if outside is not None:
                bad = lanes & outside
                if ptrs.wrapped is not None:
                    bad = bad & (lift(ptrs.wrapped, ptrs.rank) == 0)
                report.outside(region.name, bad, offsets >> region.shift)
                lanes = lanes & ~outside
            found.append(Lanes(region, offsets, lanes))
        return found


@dataclass
class Report:
    """Enters faults in the addresses of one operation; a repeated launch has no ledger and enters nothing."""

    ledger: Ledger | None
    batch: Batch
    operation: str
    place: Place
    masked: bool = False

    def outside(self, argument: str, bad: Array, elements: Array | None) -> None:
        """Enter lanes outside their tensor."""
        self._enter(f"out-of-bounds-{self.operation}", argument, bad, elements)

    def wrapped(self, ptrs: Handle, active: Array | None, argument: str) -> None:
        """Enter lanes whose offset has wrapped around in 32 bits."""
        if self.ledger is None:
            return
        assert ptrs.wrapped is not None
        shape = ptrs.data.shape if active is None else active.shape
        numbers = np.broadcast_to(lift(ptrs.wrapped, len(shape) - 1), shape)
        bad = numbers != 0 if active is None else (numbers != 0) & active
        if bad.any():
            wrap = list(self.ledger.wraps.values())[int(numbers[bad][0]) - 1]
            self._enter("int32-overflow", argument, bad, wrap=wrap)

    def _enter(
        self, code: str, argument: str, bad: Array, elements: Array | None = None, wrap: Wrap | None = None
    ) -> None:
        """Enter faulty lanes, an array (programs or 1, *block) of bool."""
        where = np.flatnonzero(bad)
        if self.ledger is None or not where.size:
            return
        shared = len(bad) == 1
        row = self.batch.first_live if shared else int(where[0] // (bad.size // len(bad)))
        element = None if elements is None else int(elements.reshape(-1)[where[0]])
        count, program = len(where) * (self.batch.live_count if shared else 1), int(self.batch.linear[row]) - 1
        event = Event(count, program, element, wrap=wrap, masked=self.masked and wrap is None)
        self.ledger.event(code, argument, self.place, event)


def element_width(ptrs: Handle) -> int:
    """Return the size in bytes of the element that a pointer points to."""
    return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)


def memory_dtype(kind: Any) -> np.dtype[Any]:
    """Return the NumPy type of elements in memory: bfloat16 is stored as 16 bits."""
    return np.dtype(np.uint16) if is_bf16(kind) else numpy_dtype(kind)
