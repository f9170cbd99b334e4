"""What the engine keeps of a kernel's variables, and how a judge reads it: in order, bounded, nothing believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import BatchStates, Event, Tracer
from tritonpuzzles.engine.interpreter import states as keeping
from tritonpuzzles.judge.evidence.states import launch_states
from tritonpuzzles.wire.frames import Frame


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def sums(x_ptr, y_ptr, n, B: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, n, B):
        cols = start + tl.arange(0, B)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        total += tl.sum(twice(x))
    tl.store(y_ptr + row, total)


@triton.jit
def ragged(x_ptr, y_ptr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(row):
        total += tl.load(x_ptr + i)
    tl.store(y_ptr + row, total)


@triton.jit
def largest(x_ptr, y_ptr, B: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, B))
    top = tl.reduce(x, 0, larger)
    tl.store(y_ptr, top)


@triton.jit
def larger(a, b):
    both = tl.maximum(a, b)
    return both


def watch(kernel: Any, grid: tuple[int, ...], *arguments: Any, **constants: int) -> list[BatchStates]:
    with Tracer(states=True) as tracer:
        kernel[grid](*arguments, **constants)
    return list(tracer.launches[0].states)


def named(batch: BatchStates, name: str) -> list[Event]:
    return [event for event in batch.events if event.name == name and event.kind == "value"]


def test_assignments_are_kept_turn_by_turn_with_what_was_loaded_before() -> None:
    x, y = torch.arange(10.0).reshape(2, 5), torch.zeros(2)
    (batch,) = watch(sums, (2,), x, y, 5, B=4)
    totals = [event for event in named(batch, "total") if event.loops]
    assert [event.loops[-1][2] for event in totals] == [1, 2]
    assert [event.values.tolist() for event in totals] == [[12.0, 52.0], [20.0, 70.0]]
    loads = [event for event in batch.events if event.kind == "load"]
    assert loads[1].elements.tolist() == [[4, -1, -1, -1], [9, -1, -1, -1]]
    (stored,) = [event for event in batch.events if event.kind == "store"]
    assert stored.values.tolist() == [20.0, 70.0]
    assert y.tolist() == [20.0, 70.0]


def test_what_a_function_returns_is_kept_with_the_line_that_called_it() -> None:
    (batch,) = watch(sums, (1,), torch.ones(1, 4), torch.zeros(1), 4, B=4)
    (returned,) = named(batch, "return 1")
    total = named(batch, "total")[-1]
    assert returned.values.tolist() == [[2.0] * 4]
    assert returned.calls[0] == total.line


def test_programs_that_have_left_a_loop_take_no_part() -> None:
    (batch,) = watch(ragged, (3,), torch.ones(3), torch.zeros(3))
    live = [event.live.tolist() for event in named(batch, "total") if event.loops]
    assert live == [[False, True, True], [False, False, True]]


def test_the_inside_of_a_reduction_is_nobodys_state() -> None:
    (batch,) = watch(largest, (1,), torch.arange(8.0), torch.zeros(1), B=8)
    assert named(batch, "both") == []
    assert [event.values.tolist() for event in named(batch, "top")] == [[7.0]]


def test_what_is_over_the_bounds_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MAX_PROGRAMS", 2)
    (batch,) = watch(sums, (3,), torch.ones(3, 4), torch.zeros(3), 4, B=4)
    assert batch.programs.tolist() == [0, 1]
    assert all(len(event.values) <= 2 for event in named(batch, "x"))
    states = keeping.States(room=5)
    assert states.left == 5


def test_nothing_is_kept_unless_it_is_asked_for() -> None:
    with Tracer() as tracer:
        sums[(1,)](torch.ones(1, 4), torch.zeros(1), 4, B=4)
    assert tracer.launches[0].states == ()


EVENT = {
    "kind": "value", "name": "m", "tensor": None, "file": 0, "line": 7,
    "loops": [[6, 1, 2]], "calls": [], "shape": [2, 3], "some": False,
}  # fmt: skip


def told(payload: bytes, **fields: Any) -> Frame:
    batch = {"programs": [0, 1], "files": ["p03.py"], "events": [{**EVENT, **fields}]}
    return Frame({"launches": [{"batches": [batch]}]}, payload)


def test_states_are_read_as_they_were_told() -> None:
    numbers = np.arange(6, dtype="<f4")
    (launch,) = launch_states(told(numbers.tobytes()))
    (event,) = launch[0].events
    assert event.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (event.name, event.file, event.line, event.loops[0].turn) == ("m", "p03.py", 7, 2)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "guess"},
        {"kind": "load"},
        {"shape": [3, 3]},
        {"shape": [2, 1 << 40]},
        {"shape": [2, 2]},
        {"shape": []},
        {"file": 1},
        {"file": -1},
        {"line": "7"},
        {"loops": [[1, 1]]},
        {"loops": [[1, 1, 1]] * 17},
        {"calls": [1] * 9},
        {"some": "yes"},
        {"name": 3},
        {"tensor": 3},
    ],
    ids=str,
)
def test_what_does_not_add_up_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        launch_states(told(np.zeros(6, dtype="<f4").tobytes(), **fields))


def test_elements_below_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        launch_states(told(np.full(6, -2, dtype="<i4").tobytes(), kind="load", tensor="x"))
