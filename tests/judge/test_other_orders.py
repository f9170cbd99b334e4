"""Values that are right only while all programs run in step: the judge compares those of other orders, too."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.conftest import Check
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.evidence.cases import OtherOrder, case_evidence
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.inputs import Draws
from tritonpuzzles.judge.resolve import tolerances_of
from tritonpuzzles.judge.verdict.one_case import order_finding
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame

# Two programs share a tile: each puts its half of x into s, and squares the other's half.
SOURCE = """
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, s_ptr, flags_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    tile, half = tl.program_id(0), tl.program_id(1)
    mine = (2 * tile + half) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    other = (2 * tile + 1 - half) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + mine, mask=mine < n_elements, other=0.0).to(tl.float32)
    tl.atomic_add(s_ptr + mine, x, mask=mine < n_elements)
    MEET
    s = tl.load(s_ptr + other, mask=other < n_elements, other=0.0)  # here
    tl.store(y_ptr + other, (s * s).to(y_ptr.dtype.element_ty), mask=other < n_elements)


def square(x):
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    tiles = triton.cdiv(x.numel(), 64)
    s = torch.zeros(x.numel(), dtype=torch.float32, device=x.device)
    flags = torch.zeros(tiles, dtype=torch.int32, device=x.device)
    square_kernel[(tiles, 2)](x, y, s, flags, x.numel(), BLOCK_SIZE=32)
    return y
"""
HERE = SOURCE[: SOURCE.index("# here")].count("\n") + 1
BARRIER = "tl.atomic_add(flags_ptr + tile, 1)\n    while tl.atomic_add(flags_ptr + tile, 0) < 2:\n        pass"
NO_BARRIERS = {
    "nothing": "pass",
    "nobody waits": "tl.atomic_add(flags_ptr + tile, 1)",
    "a barrier in the block": "tl.debug_barrier()",
    "asked once": "if tl.atomic_add(flags_ptr + tile, 1) < 0:\n        tl.atomic_add(flags_ptr + tile, 1)",
    "waits for itself": "tl.atomic_add(flags_ptr + tile, 1)\n    while tl.atomic_add(flags_ptr + tile, 0) < 1:\n"
    "        pass",
}


@pytest.mark.slow
@pytest.mark.parametrize("meet", NO_BARRIERS.values(), ids=NO_BARRIERS)
def test_lockstep_is_no_barrier(meet: str, check_source: Check) -> None:
    result = check_source(SOURCE.replace("MEET", meet))
    (found,) = {finding.code: finding for finding in result.findings}.values()
    assert (result.verdict, found.code) == (Verdict.FAIL, "order-dependent")
    assert re.match(
        r"\d+ of \d+ elements of y are wrong when the programs run one after the other, the last first: the first is "
        r"\[\d+\], expected \S+, got \S+\. What a program sees in line \d+ depends on which programs have run\.$",
        found.message,
    )
    assert found.next_step
    assert all(case.mismatch is None for case in result.cases)  # in lockstep, all is right


def test_the_line_is_that_of_the_load(check_source: Check) -> None:
    result = check_source(SOURCE.replace("MEET", "pass"))
    assert {finding.line for finding in result.findings} == {HERE}


def test_a_barrier_is_one(check_source: Check) -> None:
    result = check_source(SOURCE.replace("MEET", BARRIER))
    assert result.verdict is Verdict.PASS, result.findings


def test_a_kernel_that_stops_in_another_order_is_reported(check_source: Check) -> None:
    stops = 'tl.device_assert(tl.atomic_add(flags_ptr + tile, 1) == half, "early")'
    result = check_source(SOURCE.replace("MEET", stops))
    assert {finding.code for finding in result.findings} == {"order-dependent"}
    (line,) = (number for number, text in enumerate(SOURCE.splitlines(), 1) if "MEET" in text)
    stopped = [found for found in result.findings if "in another order, the kernel stops" in found.message]
    assert {found.line for found in stopped} == {line}


def drawn(square: Puzzle) -> tuple[Any, Any]:
    """Return a trial on the CPU, and its first case."""
    cases = Draws(3).of(square, "cpu")
    file = Submission.of(Path("none.py"))
    return Trial(square, file, "cpu", cases, None, lambda words: None), cases[0]


def order(values: torch.Tensor) -> OtherOrder:
    data = values.numpy().tobytes()
    return OtherOrder("last first", "none.py", 7, [Output("Tensor", tuple(values.shape), "float32", "cpu", data)])


def test_each_order_is_compared_with_the_truth(square: Puzzle) -> None:
    trial, case = drawn(square)
    right = case.golden[0].float()
    wrong = right.clone()
    wrong[3] += 1.0
    tolerances = tolerances_of(square, case)
    assert order_finding(trial, case, [order(right), order(right)], tolerances) is None
    found = order_finding(trial, case, [order(right), order(wrong)], tolerances)
    assert found is not None
    assert found.message.startswith(f"1 of {right.numel()} elements of y are wrong")
    assert "the first is [3]" in found.message


def test_sums_in_another_order_may_differ_within_the_tolerance(square: Puzzle) -> None:
    trial, case = drawn(square)
    loose = tuple(replace(tolerance, relative=1e-3) for tolerance in tolerances_of(square, case))
    assert order_finding(trial, case, [order(case.golden[0].float() * (1 + 1e-4))], loose) is None


LISTS = ("facts", "lines", "launches", "scratch", "copies", "traffic", "configurations")
OUTPUT = {"type": "Tensor", "shape": [1], "dtype": "float32", "contiguous": True, "device": "cpu", "nbytes": 4}


def frame(orders: Any, payload: bytes) -> Frame:
    plain = {"kind": "case", "stored": True, "scratch_bytes": 0, "configuration": 0, "seconds": 0.5}
    header = {**plain, **{name: [] for name in LISTS}}
    return Frame({**header, "outputs": [OUTPUT], "exact": [OUTPUT], "orders": orders}, payload)


def test_outputs_of_orders_follow_the_others_in_a_frame() -> None:
    told = [
        {"way": way, "file": "f.py", "line": line, "outputs": [OUTPUT]}
        for way, line in (("last first", 3), ("shuffled", None))
    ]
    found = case_evidence(frame(told, b"aaaabbbbccccdddd"), {}, ("y",))
    assert [bytes(order.outputs[0].data) for order in found.orders] == [b"cccc", b"dddd"]
    assert [order.line for order in found.orders] == [3, None]


@pytest.mark.parametrize(
    "orders",
    [
        3,
        [3],
        [{}],
        [{"way": 1, "file": "f", "line": 1, "outputs": []}],
        [{"way": "a", "file": "f", "line": -1, "outputs": []}],
    ],
)
def test_orders_that_no_engine_sends_are_refused(orders: Any) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        case_evidence(frame(orders, b"aaaabbbb"), {}, ("y",))


ADDED = """
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK_SIZE": 64}), triton.Config({"BLOCK_SIZE": 128})],
    key=["n_elements"],RESET
)
@triton.jit
def square_kernel(x_ptr, s_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    mine = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + mine, mask=mine < n_elements, other=0.0).to(tl.float32)
    tl.atomic_add(s_ptr + mine, x * x, mask=mine < n_elements)


@triton.jit
def round_kernel(s_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    mine = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + mine, tl.load(s_ptr + mine, mask=mine < n_elements), mask=mine < n_elements)


def square(x):
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    s = torch.zeros(x.numel(), dtype=torch.float32, device=x.device)
    square_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK_SIZE"]),)](x, s, x.numel())  # here
    round_kernel[(triton.cdiv(x.numel(), 64),)](s, y, x.numel(), BLOCK_SIZE=64)
    return y
"""


def test_an_autotuner_runs_what_adds_to_memory_more_than_once(check_source: Check) -> None:
    result = check_source(ADDED.replace("RESET", ""))
    line = ADDED[: ADDED.index("# here")].count("\n") + 1
    assert {(finding.code, finding.line) for finding in result.errors} == {("tuned-in-place", line)}


def test_what_it_sets_to_0_before_each_run_is_right(check_source: Check) -> None:
    assert check_source(ADDED.replace("RESET", ' reset_to_zero=["s_ptr"],')).verdict is Verdict.PASS
