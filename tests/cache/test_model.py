"""The model holds against a cache of single sectors in plain Python, and against what every such cache does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonpuzzles.engine.cache import pieces
from tritonpuzzles.engine.cache.model import Moved, Round, moved, starting_turns
from tritonpuzzles.engine.cache.pieces import LOAD, SECTOR, STORE, TooManyPiecesError, Touches

from .oracle import Launch, Operation, dram_bytes, touches

LABELS = 3
SECTORS = st.lists(st.integers(0, 40), max_size=12).map(tuple)
RUNS = st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda run: tuple(range(run[0], run[0] + run[1])))
OPERATIONS = st.builds(Operation, st.integers(0, 2), st.integers(0, LABELS - 1), SECTORS | RUNS)
LAUNCHES = st.lists(st.lists(OPERATIONS, max_size=6), max_size=6)
AT_ONCE = st.integers(1, 8)
CAPACITIES = st.integers(0, 60).map(lambda sectors: sectors * SECTOR)
SINGLE = st.builds(Operation, st.integers(0, 2), st.integers(0, LABELS - 1), st.integers(0, 40).map(lambda one: (one,)))
BY_SECTORS = st.lists(st.lists(SINGLE, max_size=12), max_size=6)  # no order within an operation to differ in
LOADS = LAUNCHES.map(lambda launch: [[Operation(LOAD, o.label, o.sectors) for o in program] for program in launch])


def modelled(launch: Launch, at_once: int, capacity: float) -> Moved:
    return moved([Round(touches(launch), at_once, capacity)], LABELS)


@settings(max_examples=300)
@given(LAUNCHES, AT_ONCE, CAPACITIES)
def test_it_is_a_cache_of_sectors(launch: Launch, at_once: int, capacity: int) -> None:
    read, written = dram_bytes(launch, at_once, capacity, LABELS)
    assert modelled(launch, at_once, capacity) == Moved(tuple(read), tuple(written))


@given(LAUNCHES, AT_ONCE)
def test_a_cache_without_end_reads_what_it_must(launch: Launch, at_once: int) -> None:
    found = modelled(launch, at_once, float("inf"))
    stored = {s for program in launch for o in program if o.kind != LOAD for s in o.sectors}
    read = {s for program in launch for o in program if o.kind != STORE for s in o.sectors}
    assert sum(found.written) == len(stored) * SECTOR
    assert sum(found.read) <= len(read) * SECTOR
    if not stored:
        assert sum(found.read) == len(read) * SECTOR


@given(LAUNCHES, AT_ONCE)
def test_a_cache_of_nothing_moves_every_sector_of_every_operation(launch: Launch, at_once: int) -> None:
    found = modelled(launch, at_once, 0)
    for label in range(LABELS):
        mine = [o for program in launch for o in program if o.label == label]
        assert found.read[label] == sum(len(set(o.sectors)) for o in mine if o.kind != STORE) * SECTOR
        assert found.written[label] == sum(len(set(o.sectors)) for o in mine if o.kind != LOAD) * SECTOR


def total(found: Moved) -> int:
    return sum(found.read) + sum(found.written)


@given(LAUNCHES, AT_ONCE, CAPACITIES, CAPACITIES)
def test_a_larger_cache_never_moves_more(launch: Launch, at_once: int, one: int, other: int) -> None:
    small, large = (modelled(launch, at_once, capacity) for capacity in sorted((one, other)))
    assert all(a >= b for a, b in zip(small.read + small.written, large.read + large.written, strict=True))


@given(LOADS, CAPACITIES)
def test_one_at_a_time_is_in_launch_order(launch: Launch, capacity: int) -> None:
    in_one_program = [[operation for program in launch for operation in program]]
    assert modelled(launch, 1, capacity) == modelled(in_one_program, 1, capacity)


@given(BY_SECTORS, BY_SECTORS, AT_ONCE, CAPACITIES)
def test_a_launch_finds_what_the_one_before_has_left(one: Launch, two: Launch, at_once: int, capacity: int) -> None:
    both = moved([Round(touches(launch), at_once, capacity) for launch in (one, two)], LABELS)
    alone = [modelled(launch, at_once, capacity) for launch in (one, two)]
    assert total(both) <= sum(map(total, alone))
    assert moved([Round(touches(one), at_once, capacity), Round(touches([]), 1, 0)], LABELS) == alone[0]


def row(first: int, times: int) -> list[Operation]:
    """A program that reads ten sectors so many times, a sector in an operation."""
    return [Operation(LOAD, 0, (first + i,)) for _ in range(times) for i in range(10)]


@pytest.mark.parametrize(("sectors", "times_read"), [(39, 2), (40, 1)])
def test_rows_at_once_share_the_cache(sectors: int, times_read: int) -> None:
    launch = [row(10 * program, 2) for program in range(8)]
    assert modelled(launch, 4, sectors * SECTOR).read[0] == times_read * 80 * SECTOR


@pytest.mark.parametrize(("capacity", "from_dram"), [(0, 20), (4, 16), (10, 10)])
def test_a_walk_backwards_finds_the_end_of_the_row(capacity: int, from_dram: int) -> None:
    forwards = row(0, 1)
    assert modelled([forwards + forwards[::-1]], 1, capacity * SECTOR).read[0] == from_dram * SECTOR


def test_a_program_takes_the_first_place_that_is_free() -> None:
    assert starting_turns([3, 1, 2, 1, 5], 2).tolist() == [0, 0, 1, 3, 3]


def test_a_tile_is_one_piece() -> None:
    tile = np.arange(64)
    found = pieces.uses(tile // 32, 10 * (tile % 32), 10 * (tile % 32) + 1)
    assert (found.pieces.tolist(), found.sizes.tolist()) == ([0, 0], [64 * SECTOR])


@pytest.mark.parametrize("limit", ["MOST_PAIRS", "MOST_USES"])
def test_what_would_take_too_long_is_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, limit, 9)
    with pytest.raises(TooManyPiecesError, match=r"the most is 9"):
        modelled([row(0, 1)], 1, 0)


def test_nothing_moves_nothing() -> None:
    assert moved([], 1) == Moved((0,), (0,))
    assert total(moved([Round(Touches(*np.zeros((6, 0), dtype=np.int64)), 4, 100)], 1)) == 0


def test_a_launch_finds_what_the_cache_may_keep_of_the_one_before() -> None:
    four = [[Operation(LOAD, 0, (0, 1, 2, 3))]]
    rounds = [Round(touches(four), 1, 100 * SECTOR), Round(touches(four), 1, 100 * SECTOR, kept=SECTOR)]
    assert moved(rounds, LABELS).read[0] == 8 * SECTOR
    assert moved([rounds[0], rounds[0]], LABELS).read[0] == 4 * SECTOR
