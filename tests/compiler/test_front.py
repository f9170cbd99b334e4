"""The front half of the compiler: what each choice of constants says, and which of them are one program."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from tritonpuzzles.compiler import TARGETS, Budget, Launch
from tritonpuzzles.compiler import compile as stages
from tritonpuzzles.compiler.compile import translate_launch
from tritonpuzzles.compiler.outcome import translation_of

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


def operations(kernels: ModuleType, **more: Any) -> frozenset[str]:
    outcome = translate_launch(launched(kernels, **more), TARGETS["sm_90"])
    assert outcome.result.ok, outcome.findings
    assert not outcome.result.assembled
    assert outcome.translation is not None
    return outcome.translation.operations


@pytest.mark.parametrize("mode", ["", "sum"])
@pytest.mark.parametrize(
    "more", [{"BLOCK": 4096}, {"n": 16}, {"n": 1}, {"stride": 1}], ids=lambda more: str(*more.items())
)
def test_sizes_make_no_other_operations(mode: str, more: dict[str, Any], kernels: ModuleType) -> None:
    assert operations(kernels, MODE=mode, **more) <= operations(kernels, MODE=mode)


def test_branches_types_and_assembly_do(kernels: ModuleType) -> None:
    modes = ("", "exp", "asm", "other asm", "sum")
    found = [operations(kernels, MODE=mode) for mode in modes]
    found += [operations(kernels, dtype=dtype) for dtype in (torch.float16, torch.bfloat16)]
    found += [operations(kernels, HALF=True), operations(kernels, n=1 << 40)]
    assert len(set(found)) == len(found)


def test_the_size_of_tiles_is_read() -> None:
    text = """
  tt.func public @k(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<8x16xf32>
    %0 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
    tt.store %0, %cst : tensor<8x16x!tt.ptr<f32>>
"""
    found = translation_of(text)
    assert (len(found.operations), found.elements, found.largest_tile) == (2, 3 * 128, 128)
    assert translation_of(text.replace("8x16", "32x4")).operations == found.operations
    assert translation_of(text.replace("f32", "f16")).operations != found.operations


def test_what_a_constant_switches_on_is_looked_at(kernels: ModuleType) -> None:
    (finding,) = translate_launch(launched(kernels, MODE="slope"), TARGETS["sm_90"]).findings
    assert finding.code == "compile-error"
    assert "SLOPE" in finding.message
    assert finding.line == KERNELS.splitlines().index("        x = x * SLOPE") + 1


def test_a_function_without_end_is_ended_and_named(kernels: ModuleType, tmp_path: Path) -> None:
    outcome = translate_launch(launched(kernels, MODE="forever"), TARGETS["sm_90"], tmp_path, Budget(9.0, 0.3))
    (finding,) = outcome.findings
    assert (outcome.skipped, finding.code) == (True, "not-compiled")
    assert finding.message == "kernel (BLOCK=64) was not compiled: the 0.3 s for it are over."
    assert not list(tmp_path.iterdir())
    assert translate_launch(launched(kernels), TARGETS["sm_90"]).result.ok


def test_what_is_kept_is_found(kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = [translate_launch(launched(kernels, MODE=mode), TARGETS["sm_90"], tmp_path) for mode in ("sum", "slope")]
    monkeypatch.delattr(stages, "translate")
    assert [
        translate_launch(launched(kernels, MODE=mode), TARGETS["sm_90"], tmp_path) for mode in ("sum", "slope")
    ] == first
