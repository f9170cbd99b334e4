"""Right values in the wrong place: what a program stores belongs to the rows or columns that it loaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tritonpuzzles.judge.evidence.states import Array, Event
from tritonpuzzles.judge.verdict.divergence.geometry import Moment, lines_of

MOST = 0.99  # of the values are right elsewhere: some may be rounded otherwise


@dataclass(frozen=True)
class Elsewhere:
    """A store whose values belong into other rows or columns.

    Attributes:
        word: "row" or "column".
        load: what brought the rows or columns that they belong to.
        store: what stores them.
        loaded, stored: those, and those that they are stored into; nothing is loaded of rows that masks leave out.
    """

    word: str
    load: Event
    store: Event
    loaded: Array
    stored: Array


@dataclass(frozen=True)
class Output:
    """An output's truth, and how far each element may be off."""

    golden: Array
    limit: Array

    def compared(self, given: Array, places: Array) -> tuple[Array, Array]:
        """Return what is right at some places, row by row, and where the given numbers are near it."""
        right = self.golden.reshape(-1).take(places)
        with np.errstate(all="ignore"):
            return right, np.abs(given - right) <= self.limit.reshape(-1).take(places)


def elsewhere(moment: Moment, places: Array, given: Array, output: Output) -> Elsewhere | None:
    """Return where the values of a store are right, if that is not where they are stored.

    Args:
        moment: the store, with the rows and columns that its program has loaded.
        places: of its elements in the output, row by row, -1 for lanes that take no part.
        given: its values.
        output: (rows, columns).
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
    """Return the rows in which a store is wrong, if its program's last walk has loaded nothing of any of them.

    Args:
        moment: the store, with the rows that its program has loaded.
        places: of its elements in the output, row by row.
        wrong: where its values are not right.
        columns: of the output.
    """
    if moment.walked is None or not wrong.any():
        return None
    rows = np.unique(places[wrong] // columns)
    known = np.isin(rows, moment.walked.rows)
    return None if known.any() else Elsewhere("row", moment.walked.load, moment.event, np.empty(0, np.int64), rows)


def _instead(numbers: Array, active: Array, loaded: Array) -> Array | None:
    """Return for each lane of a store the row or column that was loaded for its line of the block."""
    stored = lines_of(np.where(active, numbers, -1))
    if stored is None or stored.shape != loaded.shape:
        return None
    taken = stored >= 0
    if not taken.any():
        return None
    own = np.full(int(stored.max()) + 1, -1)
    own[stored[taken]] = loaded[taken]
    return np.where(active, own[np.where(active, numbers, 0)], -1)
