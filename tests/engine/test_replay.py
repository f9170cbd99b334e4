"""Recorded programs on memory of this process: views where they should be, whatever the memory lies in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.program import Call, elements
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.engine.watch import reserve
from tritonpuzzles.wire.program import MAX_ALLOCATED, Add, Allocate, Choose, Copy, Fill, Launch, Other, Program, View
from tritonpuzzles.wire.values import Constant

SLICE = View(0, "float32", (3, 3), (4, 1), 1)
FRESH = View(1, "float32", (3, 3), (3, 1))


def fresh(elements: int, dtype: torch.dtype) -> Tensor:
    return torch.empty(elements, dtype=dtype)


def in_guard_zones(elements: int, dtype: torch.dtype) -> Tensor:
    return reserve(elements, dtype, "cpu")


def run(program: Program, memory: Memory) -> list[Any]:
    def add_one(kernel: Any, arguments: dict[str, Any], options: dict[str, Any], step: Launch) -> None:
        for tensor in arguments.values():
            tensor.add_(1)

    return Replay(program, [None]).run(memory, add_one)


@pytest.mark.parametrize("place", ["as it comes", "between guard zones"])
def test_a_copy_of_a_slice_holds_its_numbers(place: str) -> None:
    storage = torch.arange(12.0)
    guards = place != "as it comes"
    placed = in_guard_zones(12, torch.float32).copy_(storage) if guards else storage
    x = placed.as_strided((3, 3), (4, 1), int(placed.storage_offset()) + 1)
    memory = Memory([x], [1], in_guard_zones if guards else fresh)
    program = Program((Allocate(36, "float32"), Copy(SLICE, FRESH)), (FRESH, Other("NoneType"), SLICE))
    copied, other, same = run(program, memory)
    assert torch.equal(copied, storage.view(3, 4)[:, 1:])
    assert torch.equal(same, storage.view(3, 4)[:, 1:])
    assert other == Other("NoneType")
    assert copied.storage_offset() == (int(placed.storage_offset()) if guards else 0)


def test_fills_sums_and_the_first_choice() -> None:
    memory = Memory([torch.ones(12)], [0], fresh)
    ones = View(0, "float32", (3, 3), (3, 1))
    launch = Launch(0, {"y_ptr": FRESH}, (1, 1, 1))
    twice = Choose(((Fill(FRESH, Constant(5)), launch), (Fill(FRESH, Constant(7)), launch)))
    total = View(2, "float32", (3, 3), (3, 1))
    program = Program((Allocate(36, "float32"), twice, Allocate(36, "float32"), Add(ones, FRESH, total)), (total,))
    (result,) = run(program, memory)
    assert torch.equal(result, torch.full((3, 3), 7.0))


def test_more_memory_than_a_call_may_have_is_refused() -> None:
    with pytest.raises(MemoryError):
        run(Program((Allocate(MAX_ALLOCATED + 1, "uint8"),), ()), Memory([], [], fresh))


def facts(*steps: Any, results: Any = (FRESH,)) -> Call:
    return Call(Program(steps, results), (), (), ("x",), ("y",), (0,), Path("p.py"))


LAUNCH = Launch(0, {"x_ptr": SLICE, "y_ptr": FRESH}, (1, 1, 1))


def test_kernels_must_write_all_of_a_sum_of_gradients_and_of_what_they_are_launched_on_alone() -> None:
    total = View(2, "float32", (3, 3), (3, 1))
    made = (Allocate(36, "float32"), Allocate(36, "float32"), Add(FRESH, FRESH, total), LAUNCH)
    summed = facts(*made, results=(total, FRESH, SLICE))
    assert [summed.is_for_kernels(number) for number in range(3)] == [True, True, False]
    assert not facts(Allocate(36, "float32")).is_for_kernels(0)


def test_the_line_in_which_pytorch_fills_what_comes_back_is_told() -> None:
    (told,) = facts(Allocate(36, "float32"), Fill(FRESH, Constant(1), 7)).faults()
    assert (told.code, told.line) == ("no-launch", 7)


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (facts(Allocate(36, "float32"), LAUNCH), []),
        (facts(Allocate(36, "float32")), ["no-launch"]),
        (facts(Allocate(36, "float32"), Launch(0, {"x_ptr": SLICE}, (1, 1, 1))), ["wrong-memory"]),
        (facts(Allocate(36, "float32"), LAUNCH, Fill(FRESH, Constant(0))), ["host-wrote-output"]),
        (facts(Allocate(36, "float32"), LAUNCH, Copy(SLICE, FRESH)), ["host-wrote-output"]),
        (facts(LAUNCH, results=(SLICE,)), ["aliases-input"]),
        (facts(results=(Other("NoneType"),)), []),
    ],
)
def test_what_a_program_alone_shows(given: Call, codes: list[str]) -> None:
    assert [finding.code for finding in given.faults()] == codes


def test_tensors_have_the_host_functions_names() -> None:
    copy = View(2, "float32", (3, 3), (3, 1))
    given = facts(Allocate(36, "float32"), Allocate(36, "float32"), Copy(SLICE, copy), LAUNCH, Allocate(8, "int64"))
    assert [given.name(number) for number in range(4)] == ["x", "y", "x", "scratch"]
    assert given.copied_bytes == {"x": 36}
    assert [elements(made) for made in given.scratch()] == [1]
    assert [elements(made) for made in given.scratch({0, 2})] == [9, 1]  # a kernel writes to the copy
