"""Read what a worker tells of a kernel's variables, with the same suspicion as `evidence`: nothing is too large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tritonpuzzles.judge.evidence.fields import count, items, optional_text, tables, text
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.places import NOTHING
from tritonpuzzles.wire.states import (
    KINDS,
    LOAD,
    MAX_CALLS,
    MAX_ELEMENTS,
    MAX_EVENTS,
    MAX_PROGRAMS,
    STORE,
    VALUE,
)

MAX_NAME = 80
MAX_DIMENSIONS = 8
MAX_LOOPS = 16  # around a statement

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class LoopTurn:
    """A loop around a statement.

    Attributes:
        line: where the loop begins.
        start: number of its start in its batch: the same loop may be started again.
        turn: from 1.
    """

    line: int
    start: int
    turn: int


@dataclass(frozen=True)
class Event:
    """One statement's effect on the programs of a batch.

    Attributes:
        kind: "load", "store" or "value".
        name: of the variable, or "return 1" for the first that a function returns; of a load or store, the tensor
            argument.
        tensor: the host function's name for what is accessed: an argument's, an output's or "scratch".
        file, line: where the statement stands.
        loops: around it, outermost first.
        elements: of a load or store: (programs or 1, *block) int32, places in the host function's tensor, row by row;
            `NOTHING` for lanes that take no part.
        values: of a store or value: (programs or 1, *block) float32.
        live: (programs,) bool, which programs it applies to; `None` for all.
        calls: of an assignment in a function, the lines from which that is called, innermost first.
    """

    kind: str
    name: str
    tensor: str | None
    file: str
    line: int
    loops: tuple[LoopTurn, ...]
    elements: Array | None
    values: Array | None
    live: Array | None
    calls: tuple[int, ...] = ()

    def applies_to(self, program: int) -> bool:
        """Return whether a program of the batch, by its index, took part."""
        return self.live is None or bool(self.live[program])

    def of(self, array: Array, program: int) -> Array:
        """Return one program's part of `elements` or `values`."""
        part: Array = array[program if len(array) > 1 else 0]
        return part


@dataclass(frozen=True)
class BatchStates:
    """What the first programs of a batch did.

    Attributes:
        programs: their numbers in the launch, from 0.
        events: in order.
    """

    programs: tuple[int, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class LaunchStates:
    """One launch."""

    kernel: str
    constants: dict[str, int]
    batches: tuple[BatchStates, ...]


def launch_states(frame: Frame) -> tuple[LaunchStates, ...]:
    """Read a `states` frame.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    reader = _Reader(frame.payload)
    found = tuple(_launch(launch, reader) for launch in tables(frame.header["launches"]))
    reader.finish()
    return found


class _Reader:
    """Takes numbers from a payload, in order."""

    def __init__(self, payload: bytes) -> None:
        self._payload, self._at = payload, 0
        self.events = 0

    def take(self, shape: tuple[int, ...], kind: str) -> Array:
        """Return the next numbers."""
        size = prod(shape)
        dtype = np.dtype(kind)
        if size > MAX_ELEMENTS or self._at + size * dtype.itemsize > len(self._payload):
            raise ValueError(f"{shape!r:.80} numbers are more than came")
        found: Array = np.frombuffer(self._payload, dtype, size, self._at).reshape(shape)
        self._at += size * dtype.itemsize
        return found

    def finish(self) -> None:
        """Refuse bytes that nothing has described."""
        if self._at != len(self._payload):
            raise ValueError(f"{len(self._payload) - self._at} bytes are left over")


def _launch(data: dict[str, Any], reader: _Reader) -> LaunchStates:
    constants = data["constants"]
    if not isinstance(constants, dict) or not all(type(value) is int for value in constants.values()):
        raise TypeError("a launch's constants are no whole numbers")
    named = {text(name)[:MAX_NAME]: value for name, value in list(constants.items())[:MAX_NAME]}
    batches = tuple(_batch(batch, reader) for batch in tables(data["batches"]))
    return LaunchStates(text(data["kernel"])[:MAX_NAME], named, batches)


def _batch(data: dict[str, Any], reader: _Reader) -> BatchStates:
    programs = tuple(count(number) for number in items(data["programs"]))
    if len(programs) > MAX_PROGRAMS:
        raise ValueError(f"a batch reports {len(programs)} programs")
    files = [text(file) for file in items(data["files"])]
    return BatchStates(programs, tuple(_events(tables(data["events"]), files, len(programs), reader)))


def _events(told: list[dict[str, Any]], files: list[str], programs: int, reader: _Reader) -> Iterator[Event]:
    reader.events += len(told)
    if reader.events > MAX_EVENTS:
        raise ValueError(f"more than {MAX_EVENTS} events were reported")
    for data in told:
        yield _event(data, files, programs, reader)


def _event(data: dict[str, Any], files: list[str], programs: int, reader: _Reader) -> Event:
    kind = text(data["kind"])
    shape = tuple(count(size) for size in items(data["shape"]))
    if kind not in KINDS or not 1 <= len(shape) <= MAX_DIMENSIONS or shape[0] not in (1, programs):
        raise ValueError(f"there is no {kind!r:.80} of shape {shape!r:.80} by {programs} programs")
    file = count(data["file"])
    if kind != VALUE and not isinstance(data["tensor"], str):
        raise TypeError(f"a {kind} has no tensor")
    if data["some"] not in (True, False) or file >= len(files):
        raise ValueError(f"there is no file {file}, or nobody knows which programs take part")
    return Event(
        kind=kind,
        name=text(data["name"])[:MAX_NAME],
        tensor=optional_text(data["tensor"]),
        file=files[file],
        line=count(data["line"]),
        loops=_loops(data["loops"]),
        elements=_elements(reader.take(shape, "<i4")) if kind in (LOAD, STORE) else None,
        values=reader.take(shape, "<f4") if kind in (VALUE, STORE) else None,
        live=reader.take((programs,), "u1").astype(bool) if data["some"] else None,
        calls=_lines(data["calls"]),
    )


def _elements(numbers: Array) -> Array:
    if numbers.size and numbers.min() < NOTHING:
        raise ValueError("an element's number is negative")
    return numbers


def _lines(told: Any) -> tuple[int, ...]:
    lines = items(told)
    if len(lines) > MAX_CALLS:
        raise ValueError(f"a statement stands in {len(lines)} functions")
    return tuple(count(line) for line in lines)


def _loops(told: Any) -> tuple[LoopTurn, ...]:
    loops = items(told)
    if len(loops) > MAX_LOOPS:
        raise ValueError(f"a statement stands in {len(loops)} loops")
    return tuple(LoopTurn(*(count(number) for number in items(loop))) for loop in loops)
