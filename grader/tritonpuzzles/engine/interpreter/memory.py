"""Global memory of a launch: loads, stores and atomics for a batch of programs, entered in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tritonpuzzles.engine.interpreter.batch import Batch, active_lanes, in_every_program
from tritonpuzzles.engine.interpreter.conflicts import (
    Touch,
    check_initialised,
    check_load,
    check_store,
    mark_atomic,
    note_order,
)
from tritonpuzzles.engine.interpreter.errors import UnsupportedOperation
from tritonpuzzles.engine.interpreter.footprints import Tiles, lines_of, runs, tiles_of
from tritonpuzzles.engine.interpreter.ledger import Ledger, Place
from tritonpuzzles.engine.interpreter.phantom import Phantom
from tritonpuzzles.engine.interpreter.regions import Lanes, Report, Windows, element_width, memory_dtype
from tritonpuzzles.engine.interpreter.storage import Storage, unsigned
from tritonpuzzles.engine.interpreter.values import (
    Array,
    Handle,
    add_bf16,
    as_bits,
    bf16_bits,
    bf16_values,
    is_bf16,
    lift,
    numpy_dtype,
    of_bits,
    poison,
)
from tritonpuzzles.insides import interpreter as native

Pick = Callable[[Handle], Array]
Apply = Callable[[Storage, Array, Pick], Array]  # applied to elements of a storage: returns their old values
# Whether an atomic operation releases what was stored before it, and acquires what others have released.
Orders = tuple[bool, bool]


class Memory:
    """The memory that the builder's operations access."""

    def __init__(self, ledger: Ledger) -> None:
        self.books = ledger
        self.ledger: Ledger | None = ledger  # the same; None while a launch is only repeated with poison
        self.windows = Windows()
        self.regions = self.windows.regions
        self.poison_bytes: Sequence[int] = (0,)  # value of undefined lanes in a repeated launch
        self.poisoned = set[Place]()  # the lines where they have it; elsewhere 0
        self.takes_old = True  # whether the kernel uses the result of the current atomic operation

    # Loads

    def load(
        self, batch: Batch, ptrs: Handle, mask: Handle | None, other: Handle | None, acquires: bool = False
    ) -> Handle:
        """Load; lanes that load nothing get `other`, or are undefined."""
        kind, place = ptrs.get_element_ty(), self.books.place()
        active = active_lanes(batch, ptrs, mask, everyone=other is not None and len(other.data) > 1)
        found = self.windows.resolve(ptrs, active, Report(self.ledger, batch, "load", place, mask is not None))
        for lanes in found:
            self._book_load(batch, lanes, place, element_width(ptrs), acquires)
        self._tiles("load", batch, ptrs, mask, found)
        if self.ledger is not None and self.ledger.states is not None:
            self.ledger.states.load(batch, place, found or self.windows.nothing(ptrs))
        if len(found) == 1 and found[0].active is None:
            return Handle(_gather(found[0], kind), kind)
        if other is None:
            data = self._undefined(batch, ptrs, mask, active, place)
        else:
            shape = ptrs.data.shape if active is None else active.shape
            data = np.array(np.broadcast_to(lift(other.data, ptrs.rank), shape), dtype=numpy_dtype(kind), order="C")
        for lanes in found:
            np.copyto(data, _gather(lanes, kind), where=True if lanes.active is None else lanes.active)
        return Handle(data, kind)

    def _undefined(self, batch: Batch, ptrs: Handle, mask: Handle | None, active: Array | None, place: Place) -> Array:
        """Return the initial data of a load: 0, or poison in inactive lanes at a poisoned line."""
        kind = ptrs.get_element_ty()
        if mask is not None and self.ledger is not None and not batch.live_values(mask.data).all():
            self.ledger.undefined(self.windows.name(ptrs), place)
        data = np.zeros(ptrs.data.shape if active is None else active.shape, dtype=numpy_dtype(kind))
        if place in self.poisoned and active is not None:
            values = poison(memory_dtype(kind), self.poison_bytes, int(np.count_nonzero(~active)))
            data[~active] = bf16_values(values) if is_bf16(kind) else values
        return data

    def _book_load(self, batch: Batch, lanes: Lanes, place: Place, width: int, acquires: bool) -> None:
        storage = lanes.region.storage
        if self.ledger is None:
            return
        times = batch.live_count if len(lanes.offsets) == 1 else 1
        self.ledger.traffic("load", lanes.region.name, lanes.count() * width * times, place)
        tracked = storage.track_reads or bool(storage.writer)
        storage.read_untracked = storage.read_untracked or not tracked
        known = tracked or storage.partial or storage.fresh is not None
        if not (known or self.ledger.element_counts or self.ledger.footprints):
            return
        touch = Touch.of(self.ledger, batch, lanes, place, lanes.elements(width), width)
        _keep("load", touch)
        check_load(touch, acquires)

    def _tiles(self, operation: str, batch: Batch, ptrs: Handle, mask: Handle | None, found: Sequence[Lanes]) -> None:
        """Keep the positions of the operation's tiles, if requested; nothing if it spans several tensors."""
        if self.ledger is None or not self.ledger.element_counts or len(found) > 1:
            return
        region, lanes = (found[0].region, found[0]) if found else (self.windows.of(ptrs), None)
        if region is not None and (tiles := tiles_of(batch, ptrs, mask, region, lanes)) is not None:
            time = self.ledger.time if found else None
            self.ledger.pending.tiles.append(Tiles(operation, region.name, time, *tiles))

    # Stores

    def store(self, batch: Batch, ptrs: Handle, value: Handle, mask: Handle | None, atomic: bool = False) -> None:
        """Store; every live program stores for itself."""
        place, kind = self.books.place(), ptrs.get_element_ty()
        spread, active = in_every_program(batch, ptrs, mask)
        data = lift(value.data, ptrs.rank)
        data = bf16_bits(data) if is_bf16(kind) else data.astype(memory_dtype(kind), copy=False)
        found = self.windows.resolve(spread, active, Report(self.ledger, batch, "store", place, mask is not None))
        for lanes in found:
            self._store_lanes(batch, lanes, np.ascontiguousarray(lanes.pick(data)), place, atomic)
            if self.ledger is not None and self.ledger.states is not None:
                self.ledger.states.store(batch, place, lanes, value, ptrs.rank)
        self._tiles("store", batch, ptrs, mask, found)

    def _store_lanes(self, batch: Batch, lanes: Lanes, values: Array, place: Place, atomic: bool) -> None:
        width, storage = values.dtype.itemsize, lanes.region.storage
        elements = lanes.elements(width)
        storage.save()
        memory = storage.typed(values.dtype)
        if self.ledger is not None:
            touch = Touch.of(self.ledger, batch, lanes, place, elements, width)
            self.ledger.traffic("store", lanes.region.name, len(elements) * width, place)
            _keep("store", touch)
            if atomic:
                mark_atomic(touch)
                note_order(touch, len(elements) // batch.live_count, True, False)
            else:
                check_store(touch, values)
        batch.record(memory, elements)
        memory[elements] = values

    # Atomics

    def atomic_rmw(
        self, batch: Batch, operation: Any, ptr: Handle, val: Handle, mask: Handle, sem: Any, orders: Orders
    ) -> Handle:
        """Apply an atomic operation lane by lane, in program order; return the old values."""
        exchange, kind = operation == native.RMW_OP.XCHG, val.dtype.scalar
        if is_bf16(kind) and operation != native.RMW_OP.FADD:
            raise UnsupportedOperation("atomics on bfloat16 other than tl.atomic_add")

        def apply(storage: Storage, elements: Array, pick: Pick) -> Array:
            if is_bf16(kind):
                return add_bf16(storage.typed(unsigned(2)), elements, pick(val))
            values, everyone = pick(val), np.ones(len(elements), dtype=np.bool_)
            pointers = _pointers(storage, elements, element_width(ptr))
            bits = as_bits(values, kind) if exchange else values  # floats are exchanged as their bits
            result: Array = native.atomic_rmw(operation, pointers, bits, everyone, sem)
            return of_bits(result, kind) if exchange else result

        return self._atomic(batch, ptr, val, mask, apply, orders, reads=not exchange)

    def atomic_cas(self, batch: Batch, ptr: Handle, cmp: Handle, val: Handle, sem: Any, orders: Orders) -> Handle:
        """Compare and swap lane by lane, in program order; return the old values."""

        def apply(storage: Storage, elements: Array, pick: Pick) -> Array:
            pointers = _pointers(storage, elements, element_width(ptr))
            bits = (as_bits(pick(each), each.dtype) for each in (cmp, val))
            return of_bits(native.atomic_cas(pointers, *bits, sem), val.dtype)

        return self._atomic(batch, ptr, val, None, apply, orders, reads=True, expected=cmp)

    def _atomic(
        self,
        batch: Batch,
        ptr: Handle,
        val: Handle,
        mask: Handle | None,
        apply: Apply,
        orders: Orders,
        reads: bool,
        expected: Handle | None = None,
    ) -> Handle:
        place, width = self.books.place(), element_width(ptr)
        spread, active = in_every_program(batch, ptr, mask)
        result = np.zeros(spread.data.shape, dtype=val.data.dtype)
        found = self.windows.resolve(spread, active, Report(self.ledger, batch, "atomic", place))
        for lanes in found:
            elements, storage = lanes.elements(width), lanes.region.storage
            if isinstance(storage, Phantom):
                storage.reach(elements, width)
                self.books.ordering.note_seen(place)
                continue
            storage.save()
            if self.ledger is not None:
                touch = Touch.of(self.ledger, batch, lanes, place, elements, width)
                self.ledger.traffic("atomic", lanes.region.name, len(elements) * width, place)
                _keep("atomic", touch)
                if reads:
                    check_initialised(touch)
                mark_atomic(touch)
            batch.record(storage.typed(unsigned(width)), elements)

            def pick(handle: Handle, lanes: Lanes = lanes) -> Array:
                return np.array(lanes.pick(lift(handle.data, ptr.rank)), order="C")

            old = apply(storage, elements, pick)
            if self.ledger is not None:
                done = True  # False where a compare-and-swap did not swap
                if expected is not None:
                    done = as_bits(old, val.dtype) == as_bits(pick(expected), expected.dtype)
                releases, acquires = orders
                note_order(touch, ptr.elements, done & releases, self.takes_old, acquires)
            if lanes.active is None:
                result[...] = old.reshape(lanes.offsets.shape)
            else:
                result[lanes.active] = old
        self._tiles("atomic", batch, ptr, mask, found)
        return Handle(result, val.dtype.scalar)


def _keep(operation: str, touch: Touch) -> None:
    """Keep an operation's elements, its footprint, or both, as the ledger requests."""
    ledger, region, place = touch.ledger, touch.region, touch.place
    if ledger.footprints and len(touch.elements):
        touched = runs(touch.elements, None if touch.shared else touch.programs, touch.width, touch.batch)
        lines = lines_of(touch.lanes, touch.width) * touch.times
        ledger.footprint(operation, region.name, place, region.storage.address, touched, lines)
    if ledger.element_counts:
        each, first = touch.of_each(), region.first_byte // region.width
        ledger.access(operation, region.name, place, each.elements - first, each.programs)


def _pointers(storage: Storage, elements: Array, width: int) -> Array:
    pointers: Array = elements.astype(np.uint64) * np.uint64(width) + np.uint64(storage.address)
    return pointers


def _gather(lanes: Lanes, kind: Any) -> Array:
    """Read a region at all lanes; the caller ignores inactive lanes, whose indices are clipped."""
    stored = memory_dtype(kind)
    if stored.itemsize != lanes.region.width:
        lanes.elements(stored.itemsize)  # refuses misaligned accesses
    elements, region = lanes.offsets >> (stored.itemsize.bit_length() - 1), lanes.region
    if lanes.active is None or region.storage.holds:
        data = region.typed(stored).take(elements, mode="clip")
    else:
        data = np.zeros(elements.shape, dtype=stored)
        data[lanes.active] = region.typed(stored).take(elements[lanes.active], mode="clip")
    return bf16_values(data) if is_bf16(kind) else data
