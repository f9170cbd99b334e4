"""All observations of a kernel's run of one case: what variables follow, which items are read again or never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tritonpuzzles.curriculum.quantities import Walk
from tritonpuzzles.judge.evidence.states import Array, BatchStates, Event, LaunchStates
from tritonpuzzles.judge.verdict.divergence.geometry import NONE, Astray, Follower, Moment, Pass
from tritonpuzzles.judge.verdict.divergence.places import (
    Elsewhere,
    Output,
    Unread,
    elsewhere,
    outline,
    unloaded,
    unread,
)
from tritonpuzzles.judge.verdict.divergence.tally import Held, Miss, Order, Role, Tallies, Variable, enter, roles_of
from tritonpuzzles.wire.observed import STORE, VALUE

MOST_PROGRAMS = 3  # programs whose values are compared with the right ones


@dataclass(frozen=True)
class Number:
    """A number that a variable held, after `turn` tiles."""

    variable: Variable
    value: float
    order: Order
    turn: int = 0


@dataclass(frozen=True)
class Instant:
    """One execution of an assignment."""

    order: Order
    turn: int
    is_telling: bool  # whether it assigned anything but 0, 1 and -inf
    is_tile: bool  # whether it assigned more than one number per row
    is_zero: bool  # whether it assigned only 0
    is_positive: bool  # whether it assigned nothing below 0
    may_tell: bool  # whether its values cannot be a mask's 0 and -inf: none is -inf
    has_nan: bool  # and has_infinity: whether it assigned such numbers
    has_infinity: bool
    is_loaded: bool  # whether its value is that of the last load of some tensor
    fixed: float | None = None  # the number that it assigned, if all were equal
    loop: int = 0  # line of the loop around it, 0 for none
    is_whole: bool = False  # whether the program had read all items of its rows by then


@dataclass
class Observed:
    """The observations."""

    tallies: Tallies = field(default_factory=dict)  # of all variables
    stored: dict[Variable, Miss] = field(default_factory=dict)  # the first wrong number of each store to an output
    # those of them before which no item of the row was loaded
    unloaded: dict[Variable, Miss] = field(default_factory=dict)
    # stores of values that are right in other rows or columns
    elsewhere: list[tuple[Order, Elsewhere]] = field(default_factory=list)
    # the rows and the columns that any program has loaded, by "row" and "column"
    reached: dict[str, set[int]] = field(default_factory=lambda: {"row": set(), "column": set()})
    # and apart: loads of items that they should not read
    again: list[tuple[Order, Astray]] = field(default_factory=list)
    apart: list[tuple[Order, Astray]] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)  # passes that have left items out
    # values of variables before the first tile, if all elements were equal
    starts: list[Number] = field(default_factory=list)
    # for variables of a tile's shape, the largest value in lanes without an item, in order
    padding: list[Number] = field(default_factory=list)
    moments: dict[Variable, list[Instant]] = field(default_factory=dict)  # of each variable

    def is_complete(self, variable: Variable) -> bool:
        """Return whether a variable's last assignment came after its program had read all items of its rows."""
        return max(self.moments[variable], key=lambda one: one.order).is_whole if self.moments.get(variable) else False


@dataclass(frozen=True)
class Observer:
    """Observes one case."""

    walk: Walk  # gives the right values along the rows
    inputs: Mapping[str, Array]  # flat, by name
    outputs: Mapping[str, Array]  # the truth, by name
    rows: Sequence[int]  # the wrong rows, the worst first
    tolerance: float  # relative, for intermediate values
    limits: Mapping[str, Array]  # per element of each output, as the judge compares them
    seen: Observed = field(default_factory=Observed)  # observations so far

    @cached_property
    def _roles(self) -> list[Role]:
        return roles_of(self.walk)

    def observe(self, launches: Sequence[LaunchStates]) -> Observed:
        """Follow the programs that work on the wrong rows."""
        for number, launch in enumerate(launches):
            for position, batch in enumerate(launch):
                place = number, position
                programs = [outline(self.walk, batch, program) for program in range(len(batch.programs))]
                rows = [found.rows for found in programs]
                self.seen.unread += unread(self.walk, place, programs)
                self.seen.reached["row"].update(*rows)
                self.seen.reached["column"].update(*(found.columns for found in programs))
                for program in chosen(rows, self.rows):
                    self._follow(batch, program, place)
        return self.seen

    def _follow(self, batch: BatchStates, program: int, place: tuple[int, int]) -> None:
        """Record all events of a program."""
        follower = Follower(self.walk, batch, program)
        for moment in follower.moments():
            event, order = moment.event, (*place, moment.order)
            variable = place[0], event.file, event.line, event.name, event.calls
            if event.kind == STORE:
                self._store(variable, moment, order)
            elif moment.walked is not None:
                self._value(variable, moment, moment.walked, order)
            elif (start := _only(given_at(moment))) is not None:
                self.seen.starts.append(Number(variable, start, order))
        self.seen.again += [((*place, astray.order), astray) for astray in follower.again]
        self.seen.apart += [((*place, astray.order), astray) for astray in follower.apart]

    def _value(self, variable: Variable, moment: Moment, walked: Pass, order: Order) -> None:
        """Compare an assigned value with the right values after the last tile."""
        given = given_at(moment)
        held = Held(given, walked.rows, order, moment.tiles, walked.state)
        enter(self.seen.tallies.setdefault(variable, {}), held, self._roles, self.tolerance)
        self.seen.moments.setdefault(variable, []).append(self._instant(given, moment, walked, order))
        empty, width = np.flatnonzero(walked.items == NONE), len(walked.items)
        sizes = reversed(list(enumerate(given.shape)))  # if both axes fit, items are along the last
        axis = next((axis for axis, size in sizes if size == width), None)
        if empty.size and axis is not None and given.size == width * len(walked.rows):
            most = float(np.take(given, empty, axis=axis).max())
            self.seen.padding.append(Number(variable, most, order, moment.tiles))

    def _instant(self, given: Array, moment: Moment, walked: Pass, order: Order) -> Instant:
        finite = np.isfinite(given)
        return Instant(
            order=order,
            turn=moment.tiles,
            is_telling=bool(((finite & (given != 0) & (given != 1)) | np.isnan(given) | np.isposinf(given)).any()),
            is_tile=given.size > len(walked.rows),
            is_zero=not given.any(),
            is_positive=bool((given >= 0).all()),
            may_tell=not np.isneginf(given).any(),
            has_nan=bool(np.isnan(given).any()),
            has_infinity=bool(np.isinf(given).any()),
            is_loaded=any(self._is_loaded(given, load, moment.program) for load in moment.loads),
            fixed=_only(given),
            loop=moment.event.loops[-1].line if moment.event.loops else 0,
            is_whole=bool((walked.read_in != 0).all()),
        )

    def _is_loaded(self, given: Array, load: Event, program: int) -> bool:
        """Return whether a value is what a load returned."""
        source = self.inputs.get(load.tensor or "")
        if source is None or load.elements is None:
            return False
        places = np.squeeze(load.of(load.elements, program))
        active = (places >= 0) & (places < source.size)
        loaded = source.take(np.where(active, places, 0))
        blocks = [block for block in (given, given.T) if block.shape == places.shape]
        return bool(active.any()) and any(bool((block == loaded)[active].all()) for block in blocks)

    def _store(self, variable: Variable, moment: Moment, order: Order) -> None:
        """Compare the values stored into an output with the truth."""
        event, name = moment.event, moment.event.tensor or ""
        if name not in self.outputs or variable in self.seen.stored:
            return
        output = Output(self.outputs[name], self.limits[name])
        assert event.elements is not None
        assert event.values is not None
        places = event.of(event.elements, moment.program)
        given = event.of(event.values, moment.program).astype(np.float64)
        active = (places >= 0) & (places < output.golden.size)
        right, near = output.compared(given, np.where(active, places, 0))
        wrong = active & ~(near | ~np.isfinite(right))
        if not wrong.any():
            return
        at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        row = int(places[at]) // output.golden.shape[-1]
        miss = self.seen.stored[variable] = Miss(order, moment.tiles, row, float(given[at]), float(right[at]))
        if moment.walked is None and not moment.loads:
            self.seen.unloaded[variable] = miss
        moved = elsewhere(moment, np.squeeze(places), np.squeeze(given), output)
        moved = moved or unloaded(moment, places, wrong, output.golden.shape[-1])
        if moved is not None:
            self.seen.elsewhere.append((order, moved))


def chosen(rows_of: Sequence[set[int]], rows: Iterable[int]) -> list[int]:
    """Return the programs to follow: those of the worst rows, then the first ones, in order."""
    found: dict[int, None] = {}
    for row in rows:
        found |= dict.fromkeys(program for program, own in enumerate(rows_of) if row in own)
        if len(found) >= MOST_PROGRAMS:
            break
    rest = dict.fromkeys(range(len(rows_of)))
    return sorted([*(found | rest)][:MOST_PROGRAMS])


def given_at(moment: Moment) -> Array:
    """Return the assigned value, without axes of length 1, in float64."""
    assert moment.event.kind == VALUE
    assert moment.event.values is not None
    found: Array = np.squeeze(moment.event.of(moment.event.values, moment.program)).astype(np.float64)
    return found


def _only(given: Array) -> float | None:
    """Return the number that a block holds everywhere, or `None`."""
    return float(given.flat[0]) if given.size and (given == given.flat[0]).all() else None
