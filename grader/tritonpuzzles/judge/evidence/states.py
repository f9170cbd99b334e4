"""Read a worker's report on a kernel's variables. As in all `evidence`, every size is limited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tritonpuzzles.decoding.marks import As, Checked, Length, OneOf
from tritonpuzzles.judge.evidence.fields import SENT, Short
from tritonpuzzles.wire import observed
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.observed import LOAD, STORE, VALUE

MAX_DIMENSIONS = 8
MAX_LOOPS = 16  # around a statement

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class LoopTurn:
    """A loop around a statement."""

    line: int  # where the loop begins
    start: int  # index of the loop's start in its batch: the same loop may be started again
    turn: int  # iteration, from 1


Turn = Annotated[LoopTurn, As(tuple[int, int, int]), Checked(lambda numbers: LoopTurn(*numbers))]


@dataclass(frozen=True)
class Event:
    """One statement's effect on the programs of a batch."""

    kind: str  # "load", "store" or "value"
    # of the variable, or "return 1" for a function's first return value; of a load or store, the tensor argument
    name: str
    tensor: str | None  # the host function's name for what is accessed: an argument's, an output's or "scratch"
    file: str  # and line: of the statement
    line: int
    loops: tuple[LoopTurn, ...]  # around it, outermost first
    # of a load or store: (programs or 1, *block) int32, row-major indices into the host function's tensor; `NOTHING`
    # for masked-off lanes
    elements: Array | None
    values: Array | None  # of a store or value: (programs or 1, *block) float32
    live: Array | None  # (programs,) bool, the programs that it applies to; `None` for all
    calls: tuple[int, ...] = ()  # of an assignment in a function: the lines of the calls to it, innermost first

    def applies_to(self, program: int) -> bool:
        """Return whether a program of the batch, by its index, took part."""
        return self.live is None or bool(self.live[program])

    def of(self, array: Array, program: int) -> Array:
        """Return one program's part of `elements` or `values`."""
        part: Array = array[program if len(array) > 1 else 0]
        return part


@dataclass(frozen=True)
class BatchStates:
    """What the first programs of a batch did."""

    programs: tuple[int, ...]  # their ids in the launch, from 0
    events: tuple[Event, ...]  # in order


LaunchStates: TypeAlias = tuple[BatchStates, ...]


def was_cut(launches: Sequence[LaunchStates]) -> bool:
    """Return whether the last events of a call may be missing: there is no room for another of the largest size."""
    events = [event for launch in launches for batch in launch for event in batch.events]
    sizes = [sum(a.size for a in (event.elements, event.values) if a is not None) for event in events]
    return sum(sizes) + max(sizes, default=0) > observed.MAX_ELEMENTS or len(events) >= observed.MAX_EVENTS


@dataclass(frozen=True)
class _Event:
    """An event as it is sent: its numbers are in the payload."""

    kind: Annotated[str, OneOf(observed.KINDS)]
    name: Short
    tensor: str | None
    file: int
    line: int
    shape: Annotated[tuple[int, ...], Length(MAX_DIMENSIONS, 1)]
    loops: Annotated[tuple[Turn, ...], Length(MAX_LOOPS)]
    some: bool
    calls: Annotated[tuple[int, ...], Length(observed.MAX_CALLS)]


@dataclass(frozen=True)
class _Batch:
    """A batch as it is sent."""

    programs: Annotated[tuple[int, ...], Length(observed.MAX_PROGRAMS)]
    files: tuple[str, ...]
    events: Annotated[tuple[_Event, ...], Length(observed.MAX_EVENTS)]


@dataclass(frozen=True)
class _Launch:
    """A launch as it is sent."""

    batches: tuple[_Batch, ...]


def launch_states(frame: Frame) -> tuple[LaunchStates, ...]:
    """Read a `states` frame; raises ValueError or KeyError if it is not of the expected form."""
    launches = SENT.read(tuple[_Launch, ...], frame.header["launches"])
    if sum(len(batch.events) for launch in launches for batch in launch.batches) > observed.MAX_EVENTS:
        raise ValueError(f"more than {observed.MAX_EVENTS} events were reported")
    reader = _Reader(frame.payload)
    found = tuple(tuple(_batch(batch, reader) for batch in launch.batches) for launch in launches)
    reader.finish()
    return found


class _Reader:
    """Reads arrays from a payload, in order."""

    def __init__(self, payload: bytes) -> None:
        self._payload, self._at = payload, 0

    def take(self, shape: tuple[int, ...], kind: str) -> Array:
        """Return the next array, of a shape and dtype."""
        size = prod(shape)
        dtype = np.dtype(kind)
        if size > observed.MAX_ELEMENTS or self._at + size * dtype.itemsize > len(self._payload):
            raise ValueError(f"{shape!r:.80} numbers are more than came")
        found: Array = np.frombuffer(self._payload, dtype, size, self._at).reshape(shape)
        self._at += size * dtype.itemsize
        return found

    def finish(self) -> None:
        """Raise ValueError if bytes are left over."""
        if self._at != len(self._payload):
            raise ValueError(f"{len(self._payload) - self._at} bytes are left over")


def _batch(told: _Batch, reader: _Reader) -> BatchStates:
    return BatchStates(told.programs, tuple(_event(event, told, reader) for event in told.events))


def _event(told: _Event, batch: _Batch, reader: _Reader) -> Event:
    kind, programs = told.kind, len(batch.programs)
    if told.shape[0] not in (1, programs):
        raise ValueError(f"there is no {kind} of shape {told.shape!r:.80} by {programs} programs")
    if told.file >= len(batch.files) or (kind != VALUE and told.tensor is None):
        raise ValueError(f"there is no file {told.file}, or a {kind} has no tensor")
    return Event(
        kind=kind,
        name=told.name,
        tensor=told.tensor,
        file=batch.files[told.file],
        line=told.line,
        loops=told.loops,
        elements=_elements(reader.take(told.shape, "<i4")) if kind in (LOAD, STORE) else None,
        values=reader.take(told.shape, "<f4") if kind in (VALUE, STORE) else None,
        live=reader.take((programs,), "u1").astype(bool) if told.some else None,
        calls=told.calls,
    )


def _elements(numbers: Array) -> Array:
    if numbers.size and numbers.min() < observed.NOTHING:
        raise ValueError("an element's number is negative")
    return numbers
