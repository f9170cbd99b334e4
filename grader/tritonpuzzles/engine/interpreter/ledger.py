"""Counts and events of one launch, collected per batch so that an undone batch leaves no trace.

Bytes are counted as in the puzzles' arithmetic: active lanes times element size, without masked-off lanes and lanes
outside a tensor.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING

import triton

from tritonpuzzles.engine.interpreter.footprints import Footprint
from tritonpuzzles.engine.interpreter.ordering import Ordering
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.wire.facts import Wrap

if TYPE_CHECKING:
    from tritonpuzzles.engine.interpreter.footprints import Tiles
    from tritonpuzzles.engine.interpreter.states import States

Place = tuple[str, int]  # file, line
_ENGINE = os.path.dirname(os.path.abspath(__file__))
_VERIFY = os.path.join(os.path.dirname(os.path.dirname(_ENGINE)), "verifier")  # runs launches for a caller
_INTERNAL = tuple(folder + os.sep for folder in (os.path.dirname(os.path.abspath(triton.__file__)), _ENGINE, _VERIFY))


@dataclass
class Event:
    """A fault at one source line with one argument: its count, and its first place."""

    count: int
    program: int  # linear, from 0
    element: int | None
    other: int | None = None  # the other program of a conflict, linear, from 0
    wrap: Wrap | None = None  # the overflow that reached the address
    masked: bool = False  # the operation has a mask


@dataclass(frozen=True)
class Access:
    """One load, store or atomic of a batch, element by element, for pictures."""

    operation: str  # "load", "store" or "atomic"
    argument: str
    file: str
    line: int
    time: int  # position in the order of the launch's operations
    elements: Array  # counted from the argument's first element in memory
    programs: Array  # linear program number of each


@dataclass
class Counts:
    """The counts, events and accesses of a batch, or of a whole launch."""

    bytes: dict[tuple[str, int, str, str], int] = field(default_factory=lambda: defaultdict(int))
    events: dict[tuple[str, str, str, int], Event] = field(default_factory=dict)
    undefined: dict[Place, tuple[str, str]] = field(default_factory=dict)  # place of undefined lanes -> code, argument
    accesses: list[Access] = field(default_factory=list)
    footprints: list[Footprint] = field(default_factory=list)
    tiles: list[Tiles] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Add the counts of a batch."""
        for line, count in other.bytes.items():
            self.bytes[line] += count
        for key, event in other.events.items():
            self.add_event(key, event)
        self.undefined.update(other.undefined)
        self.accesses.extend(other.accesses)
        self.footprints.extend(other.footprints)
        self.tiles.extend(other.tiles)

    def add_event(self, key: tuple[str, str, str, int], event: Event) -> None:
        known = self.events.setdefault(key, replace(event, count=0))
        known.count += event.count
        if event.program < known.program:
            self.events[key] = replace(event, count=known.count)


def host_place() -> Place:
    """Return the innermost line outside Triton and the engine: the place of a launch."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_INTERNAL):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("?", 0)


class Ledger:
    """Counts and events of one launch, and of its current batch."""

    def __init__(
        self,
        user_file: str | None = None,
        element_counts: bool = False,
        states: States | None = None,
        footprints: bool = False,
        threads: int = 32,  # of each program
    ) -> None:
        self.user_file = os.path.realpath(user_file) if user_file else None
        self.element_counts, self.footprints, self.states = element_counts, footprints, states
        self.total, self.pending, self.ordering = Counts(), Counts(), Ordering()
        self.time, self.threads = 0, threads
        # Grows where all threads of a program may have synchronised (last at `met`), and where a loop begins.
        self.moment, self.met, self.barriers = 0, 0, 0
        self.loops: tuple[tuple[int, bool], ...] = ()  # pipelined loops that run: moment, and if by a hint at the loop
        self.places: list[Place] = []
        self.wraps: dict[tuple[str, int, str], Wrap] = {}
        self._known: dict[str, int] = {}

    def number_of(self, wrap: Wrap) -> int:
        """Return the number of an overflow, from 1: the same for all of one operator in a line."""
        place = wrap.file, wrap.line, wrap.symbol
        self.wraps.setdefault(place, wrap)
        return list(self.wraps).index(place) + 1

    def commit(self) -> None:
        """Keep the counts of the batch."""
        self.total.add(self.pending)
        self.pending = Counts()
        self.ordering.commit()
        if self.states is not None:
            self.states.commit()

    def drop(self) -> None:
        """Discard the counts of the batch."""
        self.pending = Counts()
        self.ordering.drop()
        if self.states is not None:
            self.states.drop()

    def reset(self) -> None:
        """Forget the whole launch."""
        self.total, self.pending, self.time = Counts(), Counts(), 0
        self.ordering = Ordering()
        if self.states is not None:
            self.states.reset()

    def place(self) -> Place:
        """Return the innermost line outside Triton and the engine; lines of `user_file` come first."""
        frame, found = sys._getframe(2), None
        while frame is not None:
            kind = self.kind(frame.f_code.co_filename)
            if kind == 2 or (kind == 1 and self.user_file is None):
                return frame.f_code.co_filename, frame.f_lineno
            if kind == 1 and found is None:
                found = frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return found or ("?", 0)

    def number(self, place: Place) -> int:
        """Return a small number for a line: its index in `places`."""
        if place not in self.places:
            self.places.append(place)
        return self.places.index(place)

    def kind(self, file: str) -> int:
        """Return 0 for Triton and the engine, 2 for the learner's file, 1 for anything else."""
        kind = self._known.get(file)
        if kind is None:
            kind = 0 if file.startswith(_INTERNAL) else 2 if os.path.realpath(file) == self.user_file else 1
            self._known[file] = kind
        return kind

    def traffic(self, operation: str, argument: str, count: int, place: Place) -> None:
        """Count bytes that one operation moves."""
        key = (*place, argument, operation)
        self.pending.bytes[key] += count

    def undefined(self, argument: str, place: Place, code: str = "undefined-lane") -> None:
        """Note an operation that leaves lanes undefined; only the first of a line is kept."""
        self.pending.undefined.setdefault(place, (code, argument))

    def event(self, code: str, argument: str, place: Place, event: Event) -> None:
        """Add a fault, unless its count is 0."""
        if event.count:
            self.pending.add_event((code, argument, *place), event)

    def access(self, operation: str, argument: str, place: Place, elements: Array, programs: Array) -> None:
        """Keep an operation element by element."""
        self.time += 1
        self.pending.accesses.append(Access(operation, argument, *place, self.time, elements, programs - 1))

    def footprint(
        self, operation: str, argument: str, place: Place, storage: int, runs: tuple[Array, Array, Array], lines: float
    ) -> None:
        """Keep the footprint of an operation: program, first and last sector of each run, and requested lines."""
        self.time += 1
        self.pending.footprints.append(Footprint(operation, argument, *place, self.time, storage, *runs, lines))
