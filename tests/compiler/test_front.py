"""The front half of the compiler: what each choice of constants says, and which of them are one program."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from tritonpuzzles.compiler import TARGETS, Launch, front
from tritonpuzzles.compiler.front import front_launch

KERNELS = """
import triton
import triton.language as tl

SLOPE = 0.01


@triton.constexpr_function
def forever(n):
    while n:
        n = n + 1
    return n


@triton.jit
def helper(x, HALF: tl.constexpr):
    if HALF:
        return x / 2
    return x


@triton.jit
def kernel(x_ptr, y_ptr, n, stride, MODE: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets * stride, mask=offsets < n, other=0.0)
    if MODE == "slope":
        x = x * SLOPE
    if MODE == "exp":
        x = tl.exp(x)
    if MODE == "asm":
        x = tl.inline_asm_elementwise("add.f32 $0, $1, 1.0;", "=f,f", [x], tl.float32, True, 1)
    if MODE == "other asm":
        x = tl.inline_asm_elementwise("add.f32 $0, $1, 2.0;", "=f,f", [x], tl.float32, True, 1)
    if MODE == "sum":
        x = x - tl.sum(x, axis=0)
    if MODE == "forever":
        x = x + forever(1)
    tl.store(y_ptr + offsets, helper(x, HALF), mask=offsets < n)
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("front")
    (folder / "front_kernels.py").write_text(KERNELS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return importlib.import_module("front_kernels")


def launched(kernels: ModuleType, **more: Any) -> Launch:
    x = torch.empty(16, dtype=more.pop("dtype", torch.float32))
    usual = {"x_ptr": x, "y_ptr": x, "n": 1000, "stride": 3, "MODE": "", "HALF": False, "BLOCK": 64}
    return Launch(kernels.kernel, {**usual, **more})


def structure(kernels: ModuleType, **more: Any) -> str:
    outcome = front_launch(launched(kernels, **more), TARGETS["sm_90"])
    assert outcome.result.ok, outcome.findings
    return outcome.structure


@pytest.mark.parametrize("mode", ["", "sum"])
@pytest.mark.parametrize(
    "more", [{"BLOCK": 4096}, {"n": 16}, {"n": 1}, {"stride": 1}, {"n": 1 << 40}], ids=lambda more: str(*more.items())
)
def test_sizes_make_no_other_program(mode: str, more: dict[str, Any], kernels: ModuleType) -> None:
    assert structure(kernels, MODE=mode, **more) == structure(kernels, MODE=mode)


def test_branches_types_and_assembly_do(kernels: ModuleType) -> None:
    modes = ("", "exp", "asm", "other asm", "sum")
    found = [structure(kernels, MODE=mode) for mode in modes]
    found += [structure(kernels, dtype=dtype) for dtype in (torch.float16, torch.bfloat16)]
    found.append(structure(kernels, HALF=True))
    assert len(set(found)) == len(found)


def test_what_a_constant_switches_on_is_looked_at(kernels: ModuleType) -> None:
    (finding,) = front_launch(launched(kernels, MODE="slope"), TARGETS["sm_90"]).findings
    assert finding.code == "compile-error"
    assert "SLOPE" in finding.message
    assert finding.line == KERNELS.splitlines().index("        x = x * SLOPE") + 1


def test_a_function_without_end_is_ended_and_named(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(front, "SECONDS", 0.3)
    outcome = front_launch(launched(kernels, MODE="forever"), TARGETS["sm_90"], tmp_path)
    (finding,) = outcome.findings
    assert (outcome.skipped, finding.code) == (True, "not-compiled")
    assert finding.message == "kernel (BLOCK=64) was not compiled: its code was not read within 0.3 s."
    assert not list(tmp_path.iterdir())
    assert front_launch(launched(kernels), TARGETS["sm_90"]).result.ok


def test_what_is_kept_is_found(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = [front_launch(launched(kernels, MODE=mode), TARGETS["sm_90"], tmp_path) for mode in ("sum", "slope")]
    monkeypatch.delattr(front, "_intermediate")
    assert [
        front_launch(launched(kernels, MODE=mode), TARGETS["sm_90"], tmp_path) for mode in ("sum", "slope")
    ] == first
