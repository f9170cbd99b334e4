"""Global memory of a launch: virtual addresses, loads, stores and atomics for a batch of programs.

Every tensor argument gets its own 16 TiB window of virtual addresses. A stray pointer is thus attributed to the
argument that it was made from, negative offsets included, and nothing outside a tensor is ever dereferenced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from triton._C.libtriton import interpreter as native

from .batch import Batch
from .conflicts import check_load, check_store, mark_atomic
from .errors import UnsupportedOperation
from .ledger import Ledger, Place, lane_programs
from .numerics import bf16_bits, bf16_values, poison
from .storage import Storage, extent_bytes
from .values import Array, Handle, is_bf16, lift, numpy_dtype

WINDOW = 44  # bits of a window
_HALF = np.uint64(1 << (WINDOW - 1))


class Region:
    """One tensor argument and its window.

    Attributes:
        base: virtual address of its first element; the low bits are those of the real address.
        limit: bytes from the first element to the end of the last.
        first: number of the first element in its storage.
        inside: which elements of the extent belong to the view; None if there are no gaps.
    """

    def __init__(self, number: int, name: str, tensor: torch.Tensor, storage: Storage) -> None:
        self.name, self.tensor, self.storage = name, tensor, storage
        self.width = tensor.element_size()
        self.base = ((number + 1) << WINDOW) + tensor.data_ptr() % 256
        self.limit = extent_bytes(tensor)
        self.first_byte = tensor.storage_offset() * self.width
        self.inside = self._inside()

    def _inside(self) -> Array | None:
        count = self.limit // self.width
        if count == self.tensor.numel():
            return None
        inside = np.zeros(count, dtype=np.bool_)
        np.lib.stride_tricks.as_strided(inside, tuple(self.tensor.shape), self.tensor.stride())[...] = True
        return None if inside.all() else inside

    def outside(self, offsets: Array, width: int) -> Array | None:
        """Return which byte offsets do not lie in the tensor; None if all do."""
        if self.limit < width:
            return np.ones(offsets.shape, dtype=np.bool_)
        bad: Array | None = offsets.view(np.uint64) > np.uint64(self.limit - width)
        if bad is not None and not bad.any():
            bad = None
        if self.inside is None:
            return bad
        gap = ~self.inside.take(offsets >> (self.width.bit_length() - 1), mode="clip")
        return gap if bad is None else gap | bad


@dataclass
class Lanes:
    """Lanes of one operation that fall into one region; arrays of the operation's shape."""

    region: Region
    offsets: Array  # bytes from the region's first element
    active: Array | None  # None is all

    def count(self) -> int:
        """Return the number of active lanes."""
        return int(self.offsets.size if self.active is None else np.count_nonzero(self.active))

    def pick(self, array: Array) -> Array:
        """Return the active lanes of an array, flat."""
        array = np.broadcast_to(array, self.offsets.shape)
        return array.reshape(-1) if self.active is None else array[self.active]

    def elements(self, width: int) -> Array:
        """Return the numbers of the active elements in their storage, flat."""
        offsets = self.pick(self.offsets) + self.region.first_byte
        if width != self.region.width and (offsets & (width - 1)).any():
            raise UnsupportedOperation("misaligned access", f"{width}-byte elements at an address that is no multiple")
        return offsets >> (width.bit_length() - 1)


class Memory:
    """What the builder's memory operations act on.

    Attributes:
        ledger: the books; None while a launch is only repeated with poison.
        undefined_byte: what undefined lanes hold: 0, or a poison byte in a repeated launch.
        poisoned: the source lines whose undefined lanes are poisoned; None for all.
        synchronises: programs order themselves with atomics, so conflicts cannot be judged.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.books = ledger
        self.ledger: Ledger | None = ledger
        self.regions: list[Region] = []
        self.undefined_byte, self.poisoned = 0, set[Place]()
        self.synchronises = False

    def add(self, name: str, tensor: torch.Tensor, storage: Storage) -> int:
        """Give a tensor argument a window; return its virtual address."""
        region = Region(len(self.regions), name, tensor, storage)
        self.regions.append(region)
        return region.base

    # Addresses

    def resolve(self, batch: Batch, ptrs: Handle, active: Array | None, operation: str, place: Place) -> list[Lanes]:
        """Attribute lanes to regions; lanes outside every tensor are reported and left out."""
        addresses = ptrs.data if active is None else np.broadcast_to(ptrs.data, active.shape)
        self._report_wrapped(batch, ptrs, active, place)
        if not addresses.size:
            return []
        region = self._region(int(addresses.flat[0]))
        if region is not None:
            offsets = (addresses - np.uint64(region.base)).view(np.int64)
            outside = region.outside(offsets, element_width(ptrs))
            if outside is None or not (outside if active is None else outside & active).any():
                return [Lanes(region, offsets, active)]
        everywhere = np.ones(addresses.shape, dtype=np.bool_) if active is None else active
        return self._resolve_scattered(batch, ptrs, addresses, everywhere, operation, place)

    def _region(self, address: int) -> Region | None:
        number = ((address + int(_HALF)) >> WINDOW) - 1
        return self.regions[number] if 0 <= number < len(self.regions) else None

    def _resolve_scattered(
        self, batch: Batch, ptrs: Handle, addresses: Array, active: Array, operation: str, place: Place
    ) -> list[Lanes]:
        numbers = ((addresses + _HALF) >> np.uint64(WINDOW)).astype(np.int64) - 1
        found: list[Lanes] = []
        for number in np.unique(numbers[active]).tolist():
            lanes = active & (numbers == number)
            if not 0 <= number < len(self.regions):
                self._report(f"out-of-bounds-{operation}", "", place, batch, lanes, None)
                continue
            region = self.regions[number]
            offsets = (addresses - np.uint64(region.base)).view(np.int64)
            outside = region.outside(offsets, element_width(ptrs))
            if outside is not None:
                bad = lanes & outside if ptrs.wrapped is None else lanes & outside & ~ptrs.wrapped
                self._report(f"out-of-bounds-{operation}", region.name, place, batch, bad, offsets // region.width)
                lanes = lanes & ~outside
            found.append(Lanes(region, offsets, lanes))
        return [lanes for lanes in found if lanes.count()]

    def _report(
        self, code: str, argument: str, place: Place, batch: Batch, bad: Array, elements: Array | None
    ) -> None:
        if self.ledger is not None:
            self.ledger.lanes(code, argument, place, batch, bad, elements)

    def _report_wrapped(self, batch: Batch, ptrs: Handle, active: Array | None, place: Place) -> None:
        if ptrs.wrapped is None:
            return
        shape = ptrs.data.shape if active is None else active.shape
        bad = np.broadcast_to(lift(ptrs.wrapped, len(shape) - 1), shape)
        bad = bad if active is None else bad & active
        if bad.any():
            region = self._region(int(ptrs.data.flat[0]))
            self._report("int32-overflow", region.name if region else "", place, batch, bad, None)

    @staticmethod
    def _active(batch: Batch, ptrs: Handle, mask: Handle | None, *, everyone: bool) -> Array | None:
        """Combine the mask with the live programs; `everyone` spreads an operation over all programs of the batch."""
        rank = ptrs.rank
        spread = everyone or len(ptrs.data) > 1 or (mask is not None and len(mask.data) > 1)
        parts = [] if mask is None else [lift(mask.data, rank)]
        if spread and batch.live is not None:
            parts.append(lift(batch.live, rank))
        if not parts:
            return None
        active = parts[0] if len(parts) == 1 else parts[0] & parts[1]
        shape = np.broadcast_shapes(active.shape, ptrs.data.shape, (batch.count if everyone else 1,) + (1,) * rank)
        active = np.broadcast_to(active, shape)
        return None if active.all() else active

    # Loads

    def load(self, batch: Batch, ptrs: Handle, mask: Handle | None, other: Handle | None) -> Handle:
        """Load; lanes without a value of their own get `other`, or are undefined."""
        kind = ptrs.get_element_ty()
        place = self.books.place()
        active = self._active(batch, ptrs, mask, everyone=other is not None and len(other.data) > 1)
        found = self.resolve(batch, ptrs, active, "load", place)
        for lanes in found:
            self._book_load(batch, lanes, place, element_width(ptrs))
        shape = ptrs.data.shape if active is None else active.shape
        complete = len(found) == 1 and found[0].active is None
        if complete:
            return Handle(self._gather(found[0], kind), kind)
        data = self._fill(batch, ptrs, mask, other, shape, place)
        for lanes in found:
            np.copyto(data, self._gather(lanes, kind), where=True if lanes.active is None else lanes.active)
        return Handle(data, kind)

    @staticmethod
    def _gather(lanes: Lanes, kind: Any) -> Array:
        """Read a region at all lanes; inactive ones are clipped into it and not used."""
        stored = memory_dtype(kind)
        region = lanes.region
        if stored.itemsize != region.width:
            lanes.elements(stored.itemsize)  # refuses misaligned accesses
        memory = region.storage.raw[region.first_byte : region.first_byte + region.limit]
        memory = memory[: len(memory) // stored.itemsize * stored.itemsize].view(stored)
        data = memory.take(lanes.offsets >> (stored.itemsize.bit_length() - 1), mode="clip")
        return bf16_values(data) if is_bf16(kind) else data

    def _fill(
        self,
        batch: Batch,
        ptrs: Handle,
        mask: Handle | None,
        other: Handle | None,
        shape: tuple[int, ...],
        place: Place,
    ) -> Array:
        """Return what lanes hold that load nothing."""
        kind = ptrs.get_element_ty()
        if other is not None:
            return np.array(np.broadcast_to(lift(other.data, len(shape) - 1), shape), dtype=numpy_dtype(kind), order="C")
        if mask is not None and self.ledger is not None and self._masks_live_lanes(batch, mask):
            region = self._region(int(ptrs.data.flat[0]))
            self.ledger.undefined(region.name if region else "", place)
        byte = self.undefined_byte if place in self.poisoned else 0
        bits = poison(memory_dtype(kind), byte, int(np.prod(shape))).reshape(shape)
        return bf16_values(bits) if is_bf16(kind) else bits

    @staticmethod
    def _masks_live_lanes(batch: Batch, mask: Handle) -> bool:
        return not batch.live_values(mask.data).all()

    def _book_load(self, batch: Batch, lanes: Lanes, place: Place, width: int) -> None:
        storage = lanes.region.storage
        if self.ledger is None:
            return
        times = batch.live_count if len(lanes.offsets) == 1 else 1
        self.ledger.traffic("load", lanes.region.name, lanes.count() * width * times, place)
        tracked = storage.track_reads or bool(storage.writer)
        storage.read_untracked = storage.read_untracked or not tracked
        if not (tracked or storage.fresh is not None or self.ledger.element_counts):
            return
        elements = lanes.elements(width)
        programs = self._programs(batch, lanes)
        self._picture("load", batch, lanes, place, elements, programs, width)
        check_load(self.ledger, batch, lanes.region, place, elements, programs, width)

    @staticmethod
    def _programs(batch: Batch, lanes: Lanes) -> Array | None:
        """Return the program of each active lane; None where all live programs share the access."""
        shape = lanes.offsets.shape
        return None if len(shape) and shape[0] == 1 < batch.count else lanes.pick(lane_programs(batch, shape))

    def _picture(
        self,
        operation: str,
        batch: Batch,
        lanes: Lanes,
        place: Place,
        elements: Array,
        programs: Array | None,
        width: int,
    ) -> None:
        if self.ledger is None or not self.ledger.element_counts:
            return
        if programs is None:
            linear = batch.live_values(batch.linear)
            programs, elements = np.repeat(linear, len(elements)), np.tile(elements, len(linear))
        first = lanes.region.first_byte // width
        self.ledger.access(operation, lanes.region.name, place, elements - first, programs)

    # Stores and atomics

    def store(self, batch: Batch, ptrs: Handle, value: Handle, mask: Handle | None) -> None:
        """Store; every program of the batch stores for itself."""
        place, kind = self.books.place(), ptrs.get_element_ty()
        spread, active = self._spread(batch, ptrs, mask)
        data = lift(value.data, ptrs.rank)
        data = bf16_bits(data) if is_bf16(kind) else data.astype(memory_dtype(kind), copy=False)
        for lanes in self.resolve(batch, spread, active, "store", place):
            self._store_lanes(batch, lanes, lanes.pick(data), place)

    def _spread(self, batch: Batch, ptrs: Handle, mask: Handle | None) -> tuple[Handle, Array | None]:
        active = self._active(batch, ptrs, mask, everyone=True)
        shape = (batch.count, *ptrs.data.shape[1:])
        return Handle(np.broadcast_to(ptrs.data, shape), ptrs.dtype, ptrs.wrapped), active

    def _store_lanes(self, batch: Batch, lanes: Lanes, values: Array, place: Place) -> None:
        width, storage = values.dtype.itemsize, lanes.region.storage
        elements, programs = lanes.elements(width), lanes.pick(lane_programs(batch, lanes.offsets.shape))
        storage.save()
        memory = storage.typed(values.dtype)
        if self.ledger is not None:
            self.ledger.traffic("store", lanes.region.name, len(elements) * width, place)
            self._picture("store", batch, lanes, place, elements, programs, width)
            check_store(self.ledger, batch, lanes.region, place, elements, programs, values)
        batch.record(memory, elements)
        memory[elements] = values

    def atomic_rmw(self, batch: Batch, operation: Any, ptr: Handle, val: Handle, mask: Handle, sem: Any) -> Handle:
        """Apply an atomic operation lane by lane, in program order."""
        self.synchronises = self.synchronises or operation == native.RMW_OP.XCHG
        if is_bf16(ptr.get_element_ty()):
            raise UnsupportedOperation("atomics on bfloat16")

        def apply(pointers: Array, pick: Any) -> Array:
            everyone = np.ones(len(pointers), dtype=np.bool_)
            result: Array = native.atomic_rmw(operation, pointers, pick(val), everyone, sem)
            return result

        return self._atomic(batch, ptr, val, mask, apply)

    def atomic_cas(self, batch: Batch, ptr: Handle, cmp: Handle, val: Handle, sem: Any) -> Handle:
        """Compare and swap lane by lane, in program order."""
        self.synchronises = True

        def apply(pointers: Array, pick: Any) -> Array:
            result: Array = native.atomic_cas(pointers, pick(cmp), pick(val), sem)
            return result

        return self._atomic(batch, ptr, val, None, apply)

    def _atomic(self, batch: Batch, ptr: Handle, val: Handle, mask: Handle | None, apply: Any) -> Handle:
        place, width = self.books.place(), element_width(ptr)
        spread, active = self._spread(batch, ptr, mask)
        result = np.zeros(spread.data.shape, dtype=val.data.dtype)
        for lanes in self.resolve(batch, spread, active, "atomic", place):
            elements, storage = lanes.elements(width), lanes.region.storage
            storage.save()
            self._book_atomic(batch, lanes, place, elements, width)
            batch.record(storage.raw[: len(storage.raw) // width * width].view(f"u{width}"), elements)
            pointers = elements.astype(np.uint64) * np.uint64(width) + np.uint64(storage.address)
            old = apply(pointers, lambda handle, lanes=lanes: _contiguous(lanes.pick(lift(handle.data, ptr.rank))))
            result[np.broadcast_to(True if lanes.active is None else lanes.active, result.shape)] = old
        return Handle(result, val.dtype.scalar)

    def _book_atomic(self, batch: Batch, lanes: Lanes, place: Place, elements: Array, width: int) -> None:
        if self.ledger is None:
            return
        self.ledger.traffic("atomic", lanes.region.name, len(elements) * width, place)
        programs = lanes.pick(lane_programs(batch, lanes.offsets.shape))
        self._picture("atomic", batch, lanes, place, elements, programs, width)
        mark_atomic(batch, lanes.region, elements, width)


def element_width(ptrs: Handle) -> int:
    """Return the bytes of what a pointer points to."""
    return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)


def memory_dtype(kind: Any) -> np.dtype[Any]:
    """Return the NumPy type of elements in memory: bfloat16 stands there as 16 bits."""
    return np.dtype(np.uint16) if is_bf16(kind) else numpy_dtype(kind)


def _contiguous(array: Array) -> Array:
    return np.array(array, order="C")
