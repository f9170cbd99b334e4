"""Where a program works: which rows and items its loads have read, tile by tile and pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.curriculum.quantities import State, Walk
from tritonpuzzles.judge.evidence.states import Array, BatchStates, Event
from tritonpuzzles.wire.observed import LOAD

NONE = -1  # no row, no item


@dataclass
class Pass:
    """One walk of a program along its rows."""

    number: int  # from 1; the same rows may be walked along again
    rows: Array  # (tile rows,), `NONE` for lines without one
    state: State  # the right values after its last tile
    read_in: Array  # (items,) for each item the start index of the loop that read it, 0 for none
    kept: Array  # (items,) whether a load outside of loops has read it: its variable may hold it to the end
    items: Array  # (tile width,) of the last tile, `NONE` for lanes without one
    load: Event  # the last load
    order: int  # event index of the last load
    first: int  # event index of the first load
    tiles: int = 0  # how many were read
    start: int = 0  # of the loop of the last load
    before: tuple[Event, int, int] | None = None  # load, order and tiles at the end of the loop before, if any

    def take(self, start: int, valid: Array, items: Array, event: Event, order: int) -> None:
        """Add a tile that a load has read; `valid` are its items that exist."""
        if self.tiles and start != self.start:
            self.before = self.load, self.order, self.tiles
        self.read_in[valid] = self.start = start
        self.kept[valid] |= not event.loops
        self.items, self.load, self.order = items, event, order
        self.tiles += 1

    def leave(self, start: int) -> Array:
        """Take back the items that a loop has read, if they belong to the next walk; return them."""
        found = np.flatnonzero(self.read_in == start)
        if found.size and self.before is not None:
            self.read_in[found] = 0
            self.load, self.order, self.tiles = self.before
        return found if self.before is not None else found[:0]


@dataclass(frozen=True)
class Astray:
    """A load that reads other items than it should."""

    event: Event  # and order: the load
    order: int
    items: Array  # those that it reads again or in place of others
    row: int  # the program's first row


@dataclass(frozen=True)
class Moment:
    """A program at an event with values."""

    event: Event
    order: int  # of the event in its batch
    program: int
    walked: Pass | None  # the current pass; `None` before its first tile
    tiles: int  # read in this pass so far
    loads: tuple[Event, ...]  # the last load of each tensor before the event
    columns: Array | None = None  # of the output that the program works on, if a load shows them
    told: Event | None = None  # that load


class Follower:
    """Follows one program of a batch, by its index; `begin` returns the state of some rows, by default the walk's.

    Attributes:
        passes: all walks so far.
        columns: of the output, as far as loads have shown them.
        again: loads of items that the same loop has read before.
        apart: loads of other items than those of the tensor beside them.
    """

    def __init__(
        self, walk: Walk, batch: BatchStates, program: int, begin: Callable[[Array], State] | None = None
    ) -> None:
        self._walk, self._batch, self._program, self._state_of = walk, batch, program, begin or walk.begin
        self._rows: Array | None = None
        self._columns: Array | None = None
        self._told: Event | None = None
        self._now: Pass | None = None
        self._times: dict[int, int] = {}
        self._together: dict[tuple[int, int], dict[str, tuple[Array, Event, int]]] = {}
        self.passes: list[Pass] = []
        self.columns: set[int] = set()
        self.again: list[Astray] = []

    def moments(self) -> Iterator[Moment]:
        """Yield each event with values, and where the program is."""
        loaded: dict[str, Event] = {}
        for order, event in enumerate(self._batch.events):
            if not event.applies_to(self._program):
                continue
            if event.kind == LOAD:
                self._load(event, order)
                loaded[event.tensor or ""] = event
            elif event.values is not None:
                now = self._now
                tiles, loads = now.tiles if now else 0, tuple(loaded.values())
                yield Moment(event, order, self._program, now, tiles, loads, self._columns, self._told)

    @property
    def rows(self) -> set[int]:
        """All rows that the program has worked on."""
        return {int(row) for found in self.passes for row in found.rows if row >= 0}

    @property
    def first_row(self) -> int:
        """The first row that the program works on; 0 if there is none yet."""
        rows = np.empty(0) if self._rows is None else self._rows[self._rows >= 0]
        return int(rows[0]) if rows.size else 0

    @property
    def apart(self) -> list[Astray]:
        """Loads whose items differ from those of the tensor beside them, in the same iteration."""
        return [
            Astray(event, order, items, self.first_row)
            for loads in self._together.values()
            for tensor, (items, event, order) in loads.items()
            if (other := loads.get(self._walk.beside.get(tensor, ""))) and not np.array_equal(items, other[0])
        ]

    def _load(self, event: Event, order: int) -> None:
        assert event.elements is not None
        assert event.tensor is not None
        places = np.squeeze(event.of(event.elements, self._program))
        self._see(event, event.tensor, places)
        rows, items = located(self._walk, event.tensor, places, self._rows)
        if rows is not None:
            self._rows = rows
        if items is None or self._rows is None:
            return
        turn = (event.loops[-1].start, event.loops[-1].turn) if event.loops else (0, 0)
        self._together.setdefault(turn, {})[event.tensor] = items, event, order
        if event.tensor not in self._walk.beside:
            self._take(event, order, self._rows, items)

    def _see(self, event: Event, tensor: str, places: Array) -> None:
        """Note the output columns that a load shows."""
        active = places >= 0
        columns = self._walk.columns(tensor, np.where(active, places, 0))
        if columns is None or places.ndim > 2:
            return
        self._columns, self._told = lines_of(np.where(active, columns, NONE)), event
        self.columns |= set(columns[active].tolist())
        if self._now is not None and self._columns is not None:
            self._now.state.see(self._columns)

    def _take(self, event: Event, order: int, rows: Array, items: Array) -> None:
        start = event.loops[-1].start if event.loops else -event.line
        now, valid = self._now, items[(items >= 0) & (items < self._walk.n_items)]
        if now is not None and not (rows >= 0).any() and len(rows) == len(now.rows):
            rows = now.rows  # nothing active: the walk continues
        if now is not None and not np.array_equal(now.rows, rows):
            now = None
        if now is not None:
            known = now.read_in[valid]
            if (known == start).any():
                self.again.append(Astray(event, order, valid[known == start], self.first_row))
                return
            if (known != 0).any():
                left, now = now.leave(start), self._begin(rows, event, order)
                if left.size:
                    now.take(start, left, left, event, order)
                    now.state.add(left)
        now = self._now = now or self._begin(rows, event, order)
        now.take(start, valid, items, event, order)
        now.state.add(np.where(items < self._walk.n_items, items, NONE))

    def _begin(self, rows: Array, event: Event, order: int) -> Pass:
        first = int(rows.max(initial=NONE))
        number = self._times[first] = self._times.get(first, 0) + 1
        read = np.zeros(self._walk.n_items, dtype=np.int64)
        nothing = np.empty(0, dtype=np.int64)
        made = Pass(number, rows, self._state_of(rows), read, read != 0, nothing, event, order, order)
        if self._columns is not None:
            made.state.see(self._columns)
        self.passes.append(made)
        return made


def located(walk: Walk, tensor: str, places: Array, before: Array | None = None) -> tuple[Array | None, Array | None]:
    """Return the rows and items of a tile, one per line and one per lane; `None` for what it does not have.

    `places` are indices of the tensor's elements, -1 for masked-off lanes. `before` are the rows until now, for a tile
    of one element, which does not show which axis is which.
    """
    active = places >= 0
    row_of, item_of = walk.rows_and_items(tensor, np.where(active, places, 0))
    if places.ndim > 2 or (row_of is None and item_of is None):
        return None, None
    rows = None if row_of is None else np.where(active & (row_of < walk.n_rows), row_of, NONE)
    items = None if item_of is None else np.where(active & (item_of < walk.n_items), item_of, NONE)
    if rows is not None and items is not None:
        return _both(rows, items, before)
    return None if rows is None else lines_of(rows), None if items is None else lines_of(items)


def _both(rows: Array, items: Array, before: Array | None) -> tuple[Array | None, Array | None]:
    if rows.ndim == 0:
        return rows.reshape(1), items.reshape(1)
    if rows.ndim == 1 and _is_constant(rows, axis=0):
        return rows.max(axis=0, keepdims=True), items
    if rows.ndim == 1:
        return (rows, lines_of(items)) if _is_constant(items, axis=0) else _of_the_first_row(rows, items)
    found = [
        (rows.max(axis=axis), items.max(axis=1 - axis))
        for axis in (1, 0)
        if _is_constant(rows, axis) and _is_constant(items, 1 - axis)
    ]
    found = [pair for pair in found if all(map(_differ, pair))] or list(_over_the_end(rows, items))
    known = (pair for pair in found if before is not None and np.array_equal(pair[0], before))
    return next(iter([*known, *found]), (None, None))


def _of_the_first_row(rows: Array, items: Array) -> tuple[Array | None, Array | None]:
    """Return the row of a tile that runs past the row's end without a mask, and its items; later rows are ignored."""
    known = np.flatnonzero(rows >= 0)
    if not known.size or not (np.diff(rows[known]) >= 0).all():
        return None, None
    first = rows[known[:1]]
    return first, np.where(rows == first, items, NONE)


def _over_the_end(rows: Array, items: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the same for a tile of several rows, each of which runs past its end."""
    for axis in (1, 0):
        begun = np.take(rows, [0], axis=axis)
        kept = np.where(rows == begun, items, NONE)
        pair = begun.squeeze(axis), kept.max(axis=1 - axis)
        if (begun >= 0).any() and _is_constant(kept, 1 - axis) and all(map(_differ, pair)):
            yield pair


def lines_of(numbers: Array) -> Array | None:
    """Return the numbers along one axis of a block, if the other axis shares them; else `None`."""
    if numbers.ndim == 0:
        return numbers.reshape(1)
    if numbers.ndim == 1:
        return numbers.max(axis=0, keepdims=True) if _is_constant(numbers, axis=0) else numbers
    found = [numbers.max(axis=axis) for axis in (1, 0) if _is_constant(numbers, axis)]
    return next(filter(_differ, found), None)


def _differ(numbers: Array) -> bool:
    """Return whether each row or item occurs only once."""
    known = numbers[numbers >= 0]
    return len(np.unique(known)) == len(known)


def _is_constant(numbers: Array, axis: int) -> bool:
    """Return whether active lanes share their number along an axis."""
    most = numbers.max(axis=axis, keepdims=True)
    return bool(((numbers == most) | (numbers == NONE)).all())
