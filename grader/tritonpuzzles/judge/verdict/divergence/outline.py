"""Where the programs of a batch have been, without what is right there: which rows are whose, and what nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tritonpuzzles.curriculum.quantities import State, Walk
from tritonpuzzles.judge.evidence.states import Array, BatchStates
from tritonpuzzles.judge.verdict.divergence.geometry import Follower, Pass
from tritonpuzzles.judge.verdict.divergence.tally import Order


@dataclass(frozen=True)
class Geometry:
    """The passes of one program, all rows that it works on, and the columns that its loads tell of."""

    passes: list[Pass]
    rows: frozenset[int]
    columns: frozenset[int]


@dataclass(frozen=True)
class Unread:
    """Items that no program has read when a pass is over.

    Attributes:
        walked: the pass that ends last.
        order: from which on they are missed: the first load behind which they should have been there.
    """

    walked: Pass
    order: Order
    items: Array
    row: int


def outline(walk: Walk, batch: BatchStates, program: int) -> Geometry:
    """Return where a program has been."""
    follower = Follower(walk, batch, program, lambda rows: State())
    for _ in follower.moments():
        pass
    rows = frozenset(int(row) for found in follower.passes for row in found.rows if row >= 0)
    return Geometry(follower.passes, rows, frozenset(follower.columns))


def unread(walk: Walk, place: tuple[int, int], programs: Sequence[Geometry]) -> list[Unread]:
    """Return which rows' passes have left items out; several programs may share a row."""
    read: dict[tuple[int, int], Array] = {}
    last: dict[tuple[int, int], Pass] = {}
    for found in programs:
        for walked in found.passes:
            for row in walked.rows[walked.rows >= 0].tolist():
                key = row, walked.number
                read[key] = read.get(key, np.zeros(walk.n_items, dtype=np.bool_)) | (walked.read_in != 0)
                last[key] = max(last.get(key, walked), walked, key=lambda one: one.order)
    return [
        _unread(place, last[key], known, key[0])
        for key, known in read.items()
        if not (known.all() or _is_read_anew(last[key], known, read.get((key[0], key[1] + 1))))
    ]


def _is_read_anew(walked: Pass, known: Array, after: Array | None) -> bool:
    """Return whether a pass is a load before a loop that reads what is missing, too: nothing is left out."""
    return not walked.load.loops and after is not None and bool((known | after).all())


def _unread(place: tuple[int, int], walked: Pass, known: Array, row: int) -> Unread:
    items = np.flatnonzero(~known)
    before = bool(known.any()) and items[0] < np.flatnonzero(known)[0]
    return Unread(walked, (*place, walked.first if before else walked.order), items, row)
