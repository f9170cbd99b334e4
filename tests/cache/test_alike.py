"""Operations that touch the same memory are worked out once; programs in the order of what they store."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tritonpuzzles.engine.cache.pieces import LOAD, SECTOR, STORE, Touches, as_numbers, in_order_of_stores, uses

RUNS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 12), st.integers(0, 4)).map(lambda run: (run[0], run[1], sum(run[1:]))),
    min_size=1,
    max_size=40,
)


@settings(max_examples=300, deadline=None)
@given(RUNS)
def test_pieces_are_what_operations_touch(runs: list[tuple[int, int, int]]) -> None:
    """Whatever is found alike: operations touch the very sectors of their runs, in pieces as large as can be."""
    operations, firsts, lasts = (as_numbers(column) for column in zip(*runs, strict=True))
    found = uses(operations, firsts, lasts)
    touched = {number: set[int]() for number in range(7)}
    for number, first, last in runs:
        touched[number] |= set(range(first, last + 1))
    by_sector = {
        sector: frozenset(number for number, sectors in touched.items() if sector in sectors) for sector in range(17)
    }
    sizes: dict[frozenset[int], int] = {}
    for users in by_sector.values():
        sizes[users] = sizes.get(users, 0) + SECTOR
    sizes.pop(frozenset(), None)
    of_pieces: dict[int, set[int]] = {}
    for number, piece in zip(found.operations.tolist(), found.pieces.tolist(), strict=True):
        of_pieces.setdefault(piece, set()).add(number)
    assert {frozenset(users): int(found.sizes[piece]) for piece, users in of_pieces.items()} == sizes
    assert found.operations.tolist() == sorted(found.operations.tolist())


def touches(programs: list[int], firsts: list[int], kinds: list[int]) -> Touches:
    columns = (as_numbers(column) for column in (programs, range(len(programs)), firsts, firsts, kinds))
    return Touches(*columns, labels=np.zeros(len(programs), dtype=np.int64))


def test_programs_in_the_order_of_what_they_store() -> None:
    found = in_order_of_stores(
        touches([0, 0, 1, 1, 2, 2, 3], [0, 30, 1, 10, 2, 20, 3], [LOAD, STORE, LOAD, STORE, LOAD, STORE, LOAD])
    )
    assert found.programs.tolist() == [2, 2, 0, 0, 1, 1, 3]  # the one that stores nothing is the last
    assert found.firsts.tolist() == [0, 30, 1, 10, 2, 20, 3]


@pytest.mark.parametrize("programs", [[], [0]])
def test_few_programs(programs: list[int]) -> None:
    assert in_order_of_stores(touches(programs, programs, programs)).programs.tolist() == programs
