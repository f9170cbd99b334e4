"""Virtual addresses: one window per tensor argument, and which lanes of an operation fall into which.

Every tensor argument gets its own 16 TiB window of virtual addresses. A stray pointer is thus attributed to the
argument that it was made from, negative offsets included, and nothing outside a tensor is ever dereferenced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.ledger import Ledger, Place
from tritonpuzzles.engine.interpreter.regions import HALF, WINDOW, Lanes, Region
from tritonpuzzles.engine.interpreter.storage import Storage
from tritonpuzzles.engine.interpreter.values import Array, Handle, is_bf16, lift, numpy_dtype


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
        """Return the argument that an address was made from."""
        number = ((address + int(HALF)) >> WINDOW) - 1
        return self.regions[number] if 0 <= number < len(self.regions) else None

    def of(self, ptrs: Handle) -> Region | None:
        """Return the argument that pointers (the first of them) were made from."""
        return self.region(int(ptrs.data.flat[0])) if ptrs.data.size else None

    def name(self, ptrs: Handle) -> str:
        """Return the name of that argument; "" for none."""
        region = self.of(ptrs)
        return region.name if region else ""

    def nothing(self, ptrs: Handle) -> list[Lanes]:
        """Return the lanes of an operation in which none takes part."""
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
        numbers = ((addresses + HALF) >> np.uint64(WINDOW)).astype(np.int64) - 1
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
    """Enters what is wrong with the addresses of one operation; a repeated launch has no ledger and enters nothing."""

    ledger: Ledger | None
    batch: Batch
    operation: str
    place: Place
    masked: bool = False

    def outside(self, argument: str, bad: Array, elements: Array | None) -> None:
        """Enter lanes outside their tensor."""
        if self.ledger is not None:
            code = f"out-of-bounds-{self.operation}"
            self.ledger.lanes(code, argument, self.place, self.batch, bad, elements, masked=self.masked)

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
            self.ledger.lanes("int32-overflow", argument, self.place, self.batch, bad, wrap=wrap)


def element_width(ptrs: Handle) -> int:
    """Return the bytes of what a pointer points to."""
    return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)


def memory_dtype(kind: Any) -> np.dtype[Any]:
    """Return the NumPy type of elements in memory: bfloat16 stands there as 16 bits."""
    return np.dtype(np.uint16) if is_bf16(kind) else numpy_dtype(kind)
