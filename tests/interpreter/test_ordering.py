"""Conflicts are excused where atomic operations put programs in order, and other orders show what depends on one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.batch import MOST_PARTS, WAYS, Order
from tritonpuzzles.engine.interpreter.ordering import MOST_LANES, Ordering
from tritonpuzzles.engine.interpreter.storage import MANY

from . import synchronised
from .synchronised import ORDERS, RACES, RIGHT
from .zoo.atomics import integer_atomics, scattered_add, tickets

P, B = 8, 16
RACE = {"race-read-write", "race-write-write", "written-twice"}
named = pytest.mark.parametrize


def name_of(kernel: Any) -> str:
    return str(getattr(kernel, "__name__", kernel))


def run(kernel: Any, order: Order | None = None, programs: int = P, **named: str) -> tuple[Tracer, bool]:
    """Launch a kernel that adds rows up; return what was traced, and whether the sums are right."""
    x = torch.arange(programs * B).reshape(programs, B).float() + 1
    y, flags, data = torch.zeros(B), torch.zeros(2 * programs + 4, dtype=torch.int32), torch.zeros(programs * B)
    with Tracer(user_file=synchronised.__file__, order=order) as tracer:
        kernel[(programs,)](x, y, flags, data, programs, B, **named)
    return tracer, torch.equal(y, x.sum(0))


def marked(kernel: Any) -> int:
    """Return the line with the mark."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return next(first + at for at, line in enumerate(lines) if "# here" in line)


def in_order(way: Any, tracer: Tracer) -> Order:
    return Order(way, {launch: steps for launch, (_, steps) in tracer.ordered.items()})


@pytest.mark.slow
@named("programs", [2, P, 32])
@named("kernel", RIGHT, ids=name_of)
def test_what_atomics_order_is_no_race_in_any_order(kernel: Any, programs: int) -> None:
    tracer, right = run(kernel, programs=programs)
    assert right
    assert tracer.facts == []
    assert tracer.ordered
    for way in WAYS:
        again, right = run(kernel, in_order(way, tracer), programs)
        assert right
        assert again.facts == []


@named("kernel", RACES, ids=name_of)
def test_an_atomic_that_orders_nothing_excuses_nothing(kernel: Any) -> None:
    tracer, _ = run(kernel)
    assert {finding.code for finding in tracer.facts} <= RACE
    assert {finding.line for finding in tracer.facts} == {marked(kernel)}


@named("programs", [2, P, 64])
@named("kernel", ORDERS, ids=name_of)
def test_what_is_right_in_lockstep_alone_is_wrong_in_another_order(kernel: Any, programs: int) -> None:
    tracer, right = run(kernel, programs=programs)
    assert right
    ((file, line), _) = tracer.ordered[0]
    assert (file, line) == (synchronised.__file__, marked(kernel))
    assert not all(run(kernel, in_order(way, tracer), programs)[1] for way in WAYS)


def test_a_decision_that_depends_on_an_atomic_and_orders_nothing() -> None:
    """It may look ordered in lockstep: whoever reads comes after whom it reads from. Another order shows the race."""

    @triton.jit
    def kernel(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
        pid, cols = tl.program_id(0), tl.arange(0, B)
        tl.store(data_ptr + pid * B + cols, tl.load(x_ptr + pid * B + cols))
        if tl.atomic_add(flags_ptr, 1) >= 0:
            tl.atomic_add(y_ptr + cols, tl.load(data_ptr + (pid - (pid > 0)) * B + cols))

    tracer, _ = run(kernel)
    assert tracer.facts == []
    races = {finding.code for way in WAYS for finding in run(kernel, in_order(way, tracer))[0].facts}
    assert races == {"race-read-write"}


def test_a_helper_may_be_called_like_an_atomic_operation() -> None:
    @triton.jit
    def atomic_lock(lock_ptr):
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass

    @triton.jit
    def kernel(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
        cols = tl.arange(0, B)
        row = tl.load(x_ptr + tl.program_id(0) * B + cols)
        atomic_lock(flags_ptr)
        tl.store(y_ptr + cols, tl.load(y_ptr + cols) + row)
        tl.atomic_xchg(flags_ptr, 0)

    tracer, right = run(kernel)
    assert right
    assert tracer.facts == []


@pytest.mark.skipif(not hasattr(tl, "atomic_store"), reason="this Triton has no tl.atomic_store")
def test_an_atomic_store_releases_and_an_atomic_load_acquires() -> None:
    @triton.jit
    def kernel(x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr):
        pid, cols = tl.program_id(0), tl.arange(0, B)
        row = tl.load(x_ptr + pid * B + cols)
        if pid > 0:
            while tl.atomic_load(flags_ptr + pid - 1, sem="acquire") == 0:
                pass
            row += tl.load(y_ptr + cols)
        tl.store(y_ptr + cols, row)
        tl.atomic_store(flags_ptr + pid, 1, sem="release")

    tracer, right = run(kernel)
    assert right
    assert tracer.facts == []


@triton.jit
def published(
    x_ptr, y_ptr, flags_ptr, data_ptr, P: tl.constexpr, B: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr
):
    pid, cols = tl.program_id(0), tl.arange(0, B)
    row = tl.load(x_ptr + pid * B + cols)
    if pid > 0:
        while tl.atomic_add(flags_ptr + pid - 1, 0, sem=SEM, scope=SCOPE) == 0:
            pass
        row += tl.load(y_ptr + cols)
    tl.store(y_ptr + cols, row)
    tl.atomic_xchg(flags_ptr + pid, 1, sem=SEM, scope=SCOPE)


@pytest.mark.parametrize(
    ("sem", "scope"), [("acq_rel", "gpu"), ("acq_rel", "sys"), ("relaxed", "gpu"), ("acq_rel", "cta")]
)
def test_what_is_relaxed_or_of_one_block_alone_orders_nothing(sem: str, scope: str) -> None:
    tracer, right = run(published, SEM=sem, SCOPE=scope)
    assert right  # one after the other
    orders = sem != "relaxed" and scope != "cta"
    assert {fact.code for fact in tracer.facts} == (set() if orders else {"race-read-write", "race-write-write"})


LAUNCHES: dict[str, tuple[Any, int, Callable[[], tuple[Any, ...]]]] = {
    "sums": (scattered_add, 9, lambda: (torch.ones(130), torch.zeros(9), 130, 16)),
    "whole numbers": (
        integer_atomics,
        5,
        lambda: (torch.ones(80, dtype=torch.int32), torch.zeros(8, dtype=torch.int32), 16),
    ),
}


@named("name", LAUNCHES)
def test_results_that_nobody_takes_order_nothing(name: str) -> None:
    """Such a launch is not run again: additions give the same in any order, but for the last bits."""
    kernel, programs, arguments = LAUNCHES[name]
    with Tracer() as tracer:
        kernel[(programs,)](*arguments())
    assert tracer.ordered == {}


def test_results_that_are_stored_do() -> None:
    with Tracer() as tracer:
        tickets[(9,)](torch.zeros(1, dtype=torch.int32), torch.zeros(9, dtype=torch.int32))
    assert [*tracer.ordered] == [0]


@named("grid", [(2, 1, 1), (5, 3, 1), (4, 4, 4), (1_000, 7, 1)])
@named("way", WAYS)
def test_an_order_has_each_program_once_and_the_first_alone(way: Any, grid: tuple[int, int, int]) -> None:
    parts = Order(way, {3: 10}).parts(3, grid)
    found = [program for part in parts for program in map(tuple, part.tolist())]
    assert sorted(found) == [*np.ndindex(grid)]
    assert len(parts[0]) == 1
    assert len(parts) == min(len(found), MOST_PARTS)


def test_long_launches_have_fewer_parts_and_some_have_no_other_order() -> None:
    order = Order("shuffled", {0: 10**9, 1: 10})
    assert len(order.parts(0, (500, 1, 1))) == 2
    assert order.parts(1, (1, 1, 1)) == []
    assert order.parts(2, (500, 1, 1)) == []  # nothing there depends on it


def test_of_each_two_of_few_programs_either_runs_first() -> None:
    orders = [[part.item(0) for part in Order(way, {0: 1}).parts(0, (2, 1, 1))] for way in WAYS]
    assert sorted(orders) == [[0, 1], [1, 0]]


def ordering(*events: tuple[int, int, bool, bool]) -> Ordering:
    """Return one of (element, program, releases, acquires), a lane each."""
    found = Ordering()
    for element, program, releases, acquires in events:
        found.note(np.array([element]), np.array([program]), 1, releases, acquires)
    return found


def is_before(found: Ordering, first: int, since: int, second: int) -> bool:
    return bool(found.before(np.array([first]), np.array([since]), np.array([second]))[0])


def test_a_release_and_a_later_acquisition_of_the_same_element_order_what_is_around_them() -> None:
    found = ordering((7, 1, True, False), (7, 2, False, True), (8, 3, False, True), (7, 4, True, False))
    assert is_before(found, 1, 0, 2)
    assert not is_before(found, 1, 1, 2)  # the access came after the release
    assert not is_before(found, 2, 0, 1)
    assert not is_before(found, 1, 0, 3)  # of another element
    assert not is_before(found, 1, 0, 4)  # it takes nothing
    assert not is_before(found, 4, 0, 2)  # it was too late
    assert is_before(found, MANY, 0, 2)


def test_what_an_undone_batch_did_is_forgotten() -> None:
    found = ordering((7, 1, True, False))
    found.commit()
    found.note(np.array([7]), np.array([2]), 1, False, True)
    found.note_seen(("f.py", 3))
    assert is_before(found, 1, 0, 2)
    found.drop()
    assert not is_before(found, 1, 0, 2)
    assert (found.time, found.seen) == (1, None)


def test_wide_tiles_take_time_and_order_nothing() -> None:
    found, many = Ordering(), MOST_LANES + 1
    found.note(np.arange(many), np.full(many, 1), many, True, False)
    found.note(np.array([0]), np.array([2]), 1, False, True)
    assert found.time == many + 1
    assert not is_before(found, 1, 0, 2)
