"""The values of a kernel's variables, in the order of its statements: for one small case, within limits.

`keeping.py` makes a kernel report its assignments and the iterations of its loops, memory reports loads and stores. The
event that exceeds a limit is left out, and everything after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Array, Handle, lift
from tritonpuzzles.wire.observed import LOAD, MAX_ELEMENTS, MAX_EVENTS, MAX_PROGRAMS, NOTHING, STORE, VALUE

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.regions import Lanes

Turns = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Event:
    """One statement's effect on the programs of a batch."""

    kind: str  # "load", "store" or "value"
    name: str  # of the variable or tensor argument; "return 1" for the first value that a function returns
    storage: int  # address of the storage that was accessed; 0 for a value
    file: str
    line: int
    loops: Turns  # around it, outermost first: line, number of its start in this batch, iteration from 1
    # Of a load or store: (programs or 1, *block) int32, numbers in the storage, `NOTHING` where masked.
    elements: Array | None
    values: Array | None  # of a store or value: (programs or 1, *block) float32
    live: Array | None  # (programs,) bool, which programs it applies to; `None` for all
    calls: tuple[int, ...]  # for an assignment in a function: the lines of its calls, innermost first

    @property
    def kept_elements(self) -> int:
        """Number of array elements in it."""
        return sum(array.size for array in (self.elements, self.values) if array is not None)


@dataclass
class BatchStates:
    """The events of the first programs of a batch."""

    programs: Array  # (programs,) int32, their numbers in the launch, from 0
    events: list[Event] = field(default_factory=list)


class States:
    """Keeps the events of the batches of one launch, `room` numbers at most; those of an undone batch are dropped."""

    def __init__(self, room: int = MAX_ELEMENTS) -> None:
        self.batches: list[BatchStates] = []
        self.unwatched = 0  # above 0, nothing is kept
        self._room, self._left = room, room
        self._events = MAX_EVENTS
        self._pending: BatchStates | None = None
        self._loops: list[tuple[int, int, int]] = []
        self._starts = 0

    # Batches

    def commit(self) -> None:
        """Keep the events of the batch."""
        if self._pending is not None:
            self.batches.append(self._pending)
        self._begin()

    def drop(self) -> None:
        """Drop the events of the batch."""
        if self._pending is not None:
            self._left += sum(event.kept_elements for event in self._pending.events)
            self._events += len(self._pending.events)
        self._begin()

    def reset(self) -> None:
        """Forget the whole launch."""
        self.batches, self._left, self._events = [], self._room, MAX_EVENTS
        self._begin()

    @property
    def left(self) -> int:
        """How many more numbers may be kept."""
        return max(0, self._left)

    def _begin(self) -> None:
        self._pending, self._loops, self._starts, self.unwatched = None, [], 0, 0

    # Loops

    def enter(self, line: int) -> None:
        """Begin a loop."""
        self._starts += 1
        self._loops.append((line, self._starts, 0))

    def turn(self) -> None:
        """Begin an iteration of the innermost loop."""
        line, start, turn = self._loops.pop()
        self._loops.append((line, start, turn + 1))

    def leave(self) -> None:
        """End the innermost loop."""
        self._loops.pop()

    # Statements

    def value(self, batch: Batch, file: str, calls: tuple[int, ...], line: int, name: str, value: Any) -> None:
        """Keep the value of an assignment, or of a function's `return`, if it is a floating-point tensor."""
        if isinstance(value, tl.tensor) and _is_floating(value.handle):
            kept = value.handle.data[:MAX_PROGRAMS].astype(np.float32)
            self._add(batch, VALUE, name, 0, (file, line), None, kept, calls)

    def load(self, batch: Batch, place: tuple[str, int], found: Sequence[Lanes]) -> None:
        """Keep which elements a load reads."""
        for lanes in found:
            self._add(batch, LOAD, lanes.region.name, lanes.region.storage.address, place, _numbers(lanes), None)

    def store(self, batch: Batch, place: tuple[str, int], lanes: Lanes, value: Handle, rank: int) -> None:
        """Keep the elements that a store writes, and their values, if these are floating-point."""
        if not _is_floating(value):
            return
        elements = _numbers(lanes)
        with np.errstate(all="ignore"):
            data = lift(value.data[:MAX_PROGRAMS], rank).astype(np.float32)
        stored = np.broadcast_to(data, elements.shape).copy()
        self._add(batch, STORE, lanes.region.name, lanes.region.storage.address, place, elements, stored)

    def _add(
        self,
        batch: Batch,
        kind: str,
        name: str,
        storage: int,
        place: tuple[str, int],
        elements: Array | None,
        values: Array | None,
        calls: tuple[int, ...] = (),
    ) -> None:
        if self._left <= 0 or self._events <= 0 or self.unwatched:
            return
        live = None if batch.live is None else batch.live[:MAX_PROGRAMS].copy()
        event = Event(kind, name, storage, *place, tuple(self._loops), elements, values, live, calls)
        self._left -= event.kept_elements
        self._events -= 1
        if self._left < 0:
            return
        if self._pending is None:
            self._pending = BatchStates(batch.linear[:MAX_PROGRAMS] - 1)
        self._pending.events.append(event)


def _is_floating(handle: Handle) -> bool:
    """Return whether a value's data are plain floats: not for pointers, integers, or float8, which is kept in bytes."""
    kind = handle.dtype
    return not isinstance(kind, tl.pointer_type) and kind.scalar.is_floating() and handle.data.dtype.kind == "f"


def _numbers(lanes: Lanes) -> Array:
    """Return the numbers of elements in their storage, `NOTHING` for inactive lanes."""
    offsets = lanes.offsets[:MAX_PROGRAMS] + lanes.region.first_byte
    numbers = offsets >> lanes.region.shift
    if lanes.active is not None:
        numbers = np.where(lanes.active[:MAX_PROGRAMS], numbers, NOTHING)
    return numbers.astype(np.int32)
