"""Where the programs of a batch worked, without the right values, and which of them store at wrong places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.curriculum.quantities import State, Walk
from tritonpuzzles.judge.evidence.states import Array, BatchStates, Event
from tritonpuzzles.judge.verdict.divergence.geometry import Follower, Moment, Pass, lines_of
from tritonpuzzles.judge.verdict.divergence.tally import Order

MOST = 0.99  # share of the values that must be right elsewhere: some may be rounded differently


@dataclass(frozen=True)
class Unread:
    """Items that no program has read when a pass ends."""

    walked: Pass  # the pass that ends last
    order: Order  # of the first load after which they should have been read
    items: Array
    row: int


def outline(walk: Walk, batch: BatchStates, program: int) -> Follower:
    """Return a program's follower after its last event, which knows where the program worked."""
    follower = Follower(walk, batch, program, lambda rows: State())
    for _ in follower.moments():
        pass
    return follower


def unread(walk: Walk, place: tuple[int, int], programs: Sequence[Follower]) -> list[Unread]:
    """Return the passes that left items out, by row; several programs may share a row."""
    read: dict[tuple[int, int], Array] = {}
    kept: dict[tuple[int, int], Array] = {}
    last: dict[tuple[int, int], Pass] = {}
    for found in programs:
        for walked in found.passes:
            for row in walked.rows[walked.rows >= 0].tolist():
                key = row, walked.number
                read[key] = read.get(key, np.zeros(walk.n_items, dtype=np.bool_)) | (walked.read_in != 0)
                kept[key] = kept.get(key, np.zeros(walk.n_items, dtype=np.bool_)) | walked.kept
                last[key] = max(last.get(key, walked), walked, key=lambda one: one.order)
    left_out = []
    for (row, number), known in read.items():
        walked, after = last[row, number], read.get((row, number + 1), known)
        for held in (kept[one] for one in read if one[0] == row and one[1] < number):
            known |= held
        if known.all() or (not walked.load.loops and (known | after).all()):  # before a loop that reads all items
            continue
        items = np.flatnonzero(~known)
        before = bool(known.any()) and items[0] < np.flatnonzero(known)[0]
        left_out.append(Unread(walked, (*place, walked.first if before else walked.order), items, row))
    return left_out


@dataclass(frozen=True)
class Elsewhere:
    """A store whose values belong to other rows or columns."""

    word: str  # "row" or "column"
    load: Event  # the load that shows the rows or columns that they belong to
    store: Event  # the store
    loaded: Array  # the rows or columns that they belong to
    stored: Array  # those that they are stored to


@dataclass(frozen=True)
class Output:
    """An output's truth, and how far each element may be off."""

    golden: Array
    limit: Array

    def compared(self, given: Array, places: Array) -> tuple[Array, Array]:
        """Return the right values at row-major indices, and where the given numbers are near them."""
        right = self.golden.reshape(-1).take(places)
        with np.errstate(all="ignore"):
            return right, np.abs(given - right) <= self.limit.reshape(-1).take(places)


def elsewhere(moment: Moment, places: Array, given: Array, output: Output) -> Elsewhere | None:
    """Return where the values of a store are right, if that is not where they are stored.

    `moment` has the rows and columns that its program has loaded. `places` are row-major indices of the elements in the
    output (rows, columns), -1 for masked-off lanes.
    """
    walked, golden = moment.walked, output.golden
    if walked is None or golden.ndim != 2 or places.ndim > 2:
        return None
    active = (places >= 0) & (places < golden.size)
    rows, columns = places // golden.shape[1], places % golden.shape[1]
    own_rows = _instead(rows, active, walked.rows)
    own_columns = columns if moment.columns is None else _instead(columns, active, moment.columns)
    if own_rows is None or own_columns is None:
        return None
    known = active & (own_rows >= 0) & (own_columns >= 0) & (own_rows < golden.shape[0])
    _, near = output.compared(given, np.where(known, own_rows * golden.shape[1] + own_columns, 0))
    if not known.any() or near[known].mean() < MOST:
        return None
    if (rows != own_rows)[known].any():
        return Elsewhere("row", walked.load, moment.event, np.unique(own_rows[known]), np.unique(rows[known]))
    if moment.told is not None and (columns != own_columns)[known].any():
        return Elsewhere("column", moment.told, moment.event, np.unique(own_columns[known]), np.unique(columns[known]))
    return None


def unloaded(moment: Moment, places: Array, wrong: Array, columns: int) -> Elsewhere | None:
    """Return the rows in which a store is wrong, if its program's last walk has loaded none of them.

    See `elsewhere`; `columns` is the output's column count.
    """
    rows = np.unique(places[wrong] // columns)
    if moment.walked is None or not rows.size or np.isin(rows, moment.walked.rows).any():
        return None
    return Elsewhere("row", moment.walked.load, moment.event, np.empty(0, np.int64), rows)


def _instead(numbers: Array, active: Array, loaded: Array) -> Array | None:
    """Return for each lane of a store the row or column that was loaded for its line of the block."""
    stored = lines_of(np.where(active, numbers, -1))
    if stored is None or stored.shape != loaded.shape or not (taken := stored >= 0).any():
        return None
    own = np.full(int(stored.max()) + 1, -1)
    own[stored[taken]] = loaded[taken]
    return np.where(active, own[np.where(active, numbers, 0)], -1)
