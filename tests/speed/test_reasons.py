"""What holds a launch back: one fault at a time is put into a good launch, and it is the one that is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.speed.test_model import BYTES, PRODUCT, ROW
from tritonpuzzles.results.inspect import Code, Work
from tritonpuzzles.speed.cost import Cost
from tritonpuzzles.speed.machine import machine_named
from tritonpuzzles.speed.reasons import reason

H100 = machine_named("H100")
ROOM = H100.multiprocessors * ROW.per_multiprocessor
ALL_IN_ONE = Work(instructions=20_000, load_bytes=1024, loads=64, special=257, shuffles=10)
LOOP = Work(instructions=60, load_bytes=8, loads=2, special=2, shuffles=10)


def told(*costs: Cost) -> str | None:
    found = reason([(cost,) for cost in costs], H100, 2 * BYTES)
    return None if found is None else found.code


def test_a_launch_without_a_fault_is_held_back_by_nothing() -> None:
    assert told(ROW) is None


@pytest.mark.parametrize(
    ("code", "costs"),
    [
        ("strided-loads", [replace(ROW, lines=16 * ROW.lines)]),
        ("spills", [replace(ROW, stack_bytes=9000, code=Code(replace(ROW.code.once, local_bytes=20_000)))]),
        ("few-programs", [replace(ROW, programs=16)]),
        ("wave-tail", [replace(ROW, programs=ROOM + 40, code=Code(replace(ROW.code.once, instructions=30_000)))]),
        ("tiny-tiles", [replace(ROW, warps=1, per_multiprocessor=32, code=Code(Work(), (LOOP,)))]),
        ("few-warps", [replace(ROW, warps=1, per_multiprocessor=2, code=Code(ALL_IN_ONE))]),
        ("extra-pass", [replace(ROW, read_bytes=2 * BYTES)]),
        ("many-launches", [replace(ROW, programs=4, read_bytes=1e5, written_bytes=1e5, lines=1e3)] * 500),
    ],
)  # fmt: skip
def test_a_fault_is_what_is_told(code: str, costs: list[Cost]) -> None:
    assert told(*costs) == code


def test_of_two_faults_the_one_that_costs_more() -> None:
    assert told(replace(ROW, read_bytes=1.5 * BYTES, lines=64 * ROW.lines)) == "strided-loads"


TILES = PRODUCT.code.loops[0]


@pytest.mark.parametrize(
    ("code", "loop", "changed"),
    [
        ("no-tensor-cores", replace(TILES, tensor_operations=0, tensor_time=0, plain_operations=262_144,
                                    instructions=4200, queued=False), {}),
        ("no-pipelining", replace(TILES, ahead=False), {"per_multiprocessor": 1}),
        ("narrow-loads", replace(TILES, narrow=32, ahead=False), {"per_multiprocessor": 1}),
        ("tiny-tiles", replace(TILES, tensor_operations=16_384, tensor_time=16_384), {"warps": 4}),
        ("few-warps", replace(TILES, instructions=900, queued=False), {"warps": 2, "per_multiprocessor": 1}),
        ("spills", replace(TILES, local_bytes=2000), {"stack_bytes": 2000}),
        ("few-programs", TILES, {"programs": 40}),
    ],
)  # fmt: skip
def test_a_fault_of_a_product_is_what_is_told(code: str, loop: Work, changed: dict[str, int]) -> None:
    assert told(replace(PRODUCT, code=Code(PRODUCT.code.once, (loop,)), **changed)) == code  # type: ignore[arg-type]


def test_a_product_in_large_tiles_is_held_back_by_nothing() -> None:
    assert told(PRODUCT) is None


def test_an_autotuner_whose_configurations_are_all_as_slow_cannot_choose() -> None:
    slow = replace(PRODUCT, code=Code(PRODUCT.code.once, (replace(TILES, ahead=False),)), per_multiprocessor=1)
    found = reason([(slow, replace(slow, kernel="another group"))], H100, 2 * BYTES)
    assert found is not None
    assert found.code == "autotuner-cannot-choose"
    one_is_better = reason([(slow, PRODUCT)], H100, 2 * BYTES)
    assert one_is_better is None
