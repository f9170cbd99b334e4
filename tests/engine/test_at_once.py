"""What a program takes of a multiprocessor: as the compiler says for a GPU that is not there, or as it ran on one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.compiler import TARGETS, Launch, compile_launch
from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.engine.at_once import running_fit, with_fits
from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.results.speed import Fit
from tritonpuzzles.wire.observed import LaunchSummary

NOTHING = Answers({}, {}, {})  # that static code has asked
A100, T4 = example("sm_80"), example("sm_75")


@triton.jit
def copied(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def two_faced(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.target_info.cuda_capability_geq(8, 0):
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def broken(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.load(x_ptr)[0])


def launch(kernel: object = copied, **options: object) -> Launch:
    x = torch.empty(5000)
    return Launch(kernel, {"x_ptr": x, "y_ptr": x, "n": 5000, "BLOCK": 1024}, options)


def summary(programs: int) -> LaunchSummary:
    return LaunchSummary("copied", 3, (programs, 1, 1), programs)


def test_registers_and_shared_memory_are_the_compilers(tmp_path: Path) -> None:
    (found,), _ = with_fits([summary(500)], [launch(num_warps=8)], [NOTHING], A100, tmp_path)
    compiled = compile_launch(launch(num_warps=8), TARGETS["sm_80"]).result
    assert found.fit == Fit(8, "warps", 8, 64, compiled.registers or 0, compiled.shared_bytes or 0)


def test_fewer_warps_fit_on_a_smaller_gpu(tmp_path: Path) -> None:
    (found,), _ = with_fits([summary(500)], [launch(num_warps=8)], [NOTHING], T4, tmp_path)
    assert found.fit is not None
    assert (found.fit.per_multiprocessor, found.fit.max_warps) == (4, 32)


def test_small_grids_are_not_compiled(tmp_path: Path) -> None:
    given = [summary(A100.multiprocessors - 1)]
    assert with_fits(given, [launch(broken)], [NOTHING], A100, tmp_path) == (given, [])


def test_why_nothing_is_known(tmp_path: Path) -> None:
    (found,), (rejected,) = with_fits([summary(500)], [launch(broken)], [NOTHING], A100, tmp_path)
    assert found.fit is None
    assert found.unknown == rejected.message
    assert (rejected.code, rejected.line) == ("compile-error", launch(broken).kernel.starting_line_number + 2)


def test_what_does_not_compile_is_told_of_once(tmp_path: Path) -> None:
    found, rejected = with_fits([summary(500), summary(600)], [launch(broken)] * 2, [NOTHING] * 2, A100, tmp_path)
    assert [one.fit for one in found] == [None, None]
    assert len(rejected) == 1


def test_another_kernel_for_the_gpu_of_the_case_is_rejected(tmp_path: Path) -> None:
    asked = compile_launch(launch(two_faced), TARGETS["sm_80"]).answers
    assert asked is not None
    assert with_fits([summary(500)], [launch(two_faced)], [asked], A100, tmp_path)[1] == []
    (rejected,) = with_fits([summary(500)], [launch(two_faced)], [asked], T4, tmp_path)[1]
    assert (rejected.code, rejected.details["target"]) == ("compiled-differently", "sm_75")


@pytest.mark.parametrize(("capability", "per_multiprocessor"), [(80, 8), (103, 8), (75, 4)], ids=str)
def test_a_kernel_that_ran_tells_what_it_took(capability: int, per_multiprocessor: int) -> None:
    compiled = SimpleNamespace(n_regs=32, metadata=SimpleNamespace(num_warps=8, shared=0, num_ctas=1))
    gpu = replace(A100 if capability != 75 else T4, capability=capability)
    fit = running_fit(compiled, gpu)
    assert fit is not None
    assert fit.per_multiprocessor == per_multiprocessor
    assert running_fit(SimpleNamespace(), gpu) is None
