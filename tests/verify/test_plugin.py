"""The pytest plugin, on a suite of right and wrong kernels, as any project may have one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tritonpuzzles

pytestmark = pytest.mark.slow

KERNELS = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr, MASKED: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask if MASKED else None)
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def sum_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + offsets, mask=offsets < n_elements)))


@triton.autotune([triton.Config({"BLOCK_SIZE": 32}), triton.Config({"BLOCK_SIZE": 64})], key=["n_elements"])
@triton.heuristics({"MASKED": lambda given: given["n_elements"] % 32 != 0})
@triton.jit
def tuned_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr, MASKED: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements if MASKED else None
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def one_branch_kernel(x_ptr, flag):
    if flag > 5:
        x = tl.load(x_ptr)
    tl.store(x_ptr, x)


@triton.jit
def assembly_kernel(x_ptr):
    x = tl.load(x_ptr)
    tl.store(x_ptr, tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [x], tl.float32, True, 1))


def copied(x, masked=True):
    assert x.is_cuda
    y = torch.empty_like(x)
    copy_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK_SIZE=64, MASKED=masked)
    return y
"""
SUITE = """
import pytest
import torch
from kernels import *

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEVICE = f"cuda:{torch.cuda.current_device()}" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_right(dtype):
    x = torch.randn(100, device=DEVICE, dtype=dtype)
    assert torch.equal(copied(x), x) and copied(x).device == x.device


def test_outside():
    x = torch.randn(100).cuda()
    torch.testing.assert_close(copied(x, masked=False), x)


def test_undefined_lanes():
    x, y = torch.randn(100, device="cuda"), torch.zeros(1, device="cuda")
    sum_kernel[(1,)](x, y, 100, BLOCK_SIZE=128)
    torch.testing.assert_close(y[0], x.sum())


def test_reads_what_nobody_wrote():
    x = torch.empty(100, device="cuda")
    x[:50] = 1
    copied(x)


def test_writes_in_pieces():
    x = torch.empty(4, 25, device="cuda")
    for row in x:
        row.copy_(torch.ones(25))
    assert copied(x).sum().item() == 100


def test_fails_by_itself():
    x = torch.randn(100, device="cuda")
    assert not torch.equal(copied(x, masked=False), x)


def test_tuned():
    x = torch.randn(100, device="cuda")
    y = torch.zeros_like(x)
    tuned_kernel[lambda given: (triton.cdiv(100, given["BLOCK_SIZE"]),)](x, y, 100)
    assert torch.equal(x, y)


def test_cannot_be_interpreted():
    assembly_kernel[(1,)](torch.ones(1, device="cuda"))


def test_the_compiler_refuses():
    one_branch_kernel[(1,)](torch.ones(1, device="cuda"), 7)


def test_an_argument_is_missing():
    copy_kernel[(1,)](torch.ones(1, device="cuda"), BLOCK_SIZE=64, MASKED=True)


def test_timed_by_a_tuner_of_its_own():
    from triton.testing import do_bench

    assert do_bench(lambda: copied(torch.ones(100, device="cuda")), quantiles=[0.5, 0.2, 0.8]) == [1.0] * 3


def test_copies_between_memories():
    host = torch.ones(3)
    x = host.cuda()
    x += 1
    assert host.tolist() == [1, 1, 1] and x.cpu().tolist() == [2, 2, 2]
    assert not host.is_cuda and x.is_cuda and (x * 2)[1:].is_cuda and not x.cpu().is_cuda and x.cuda() is x
    assert torch.nn.Linear(3, 3).to("cuda").weight.is_cuda


def test_gradients():
    x = torch.ones(3, device="cuda", requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.is_cuda and x.is_leaf
"""
MARKED = """
import sys
import pytest

IMPORTED = "torch" in sys.modules


def test_off():
    assert not IMPORTED


@pytest.mark.triton_verify
def test_on():
    import torch
    from kernels import copied
    copied(torch.randn(100, device="cuda"), masked=False)


def test_off_again():
    import torch
    with pytest.raises((RuntimeError, AssertionError)):
        torch.randn(3, device="cuda")
"""


def run(folder: Path, *options: str) -> str:
    """Run pytest in a folder with the plugin; return what it prints."""
    package = str(Path(tritonpuzzles.__file__).parents[1])
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--tb=short", *options]
    plugin = [] if "tritonpuzzles" in loaded() else ["-p", "tritonpuzzles.front.testing.plugin"]
    environment = {**os.environ, "PYTHONPATH": package, "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run([*command, *plugin], cwd=folder, env=environment, capture_output=True, text=True).stdout


def loaded() -> set[str]:
    """Return the names of the pytest plugins that are installed."""
    from importlib.metadata import entry_points

    return {one.name for one in entry_points(group="pytest11")}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "test_kernels.py").write_text(SUITE)
    return run(folder, "--triton-verify")


def line(text: str) -> int:
    """Return the line of the kernels in which a text stands."""
    return next(number for number, one in enumerate(KERNELS.splitlines(), 1) if text in one)


PASSED = (
    *("test_right[dtype0]", "test_right[dtype1]", "test_writes_in_pieces", "test_tuned"),
    "test_timed_by_a_tuner_of_its_own",
    *("test_copies_between_memories", "test_gradients"),
)


@pytest.mark.parametrize("test", PASSED)
def test_right_kernels_pass(printed: str, test: str) -> None:
    assert f"PASSED test_kernels.py::{test}\n" in printed


@pytest.mark.parametrize(
    ("test", "place", "code"),
    [
        ("test_outside", "mask=mask if MASKED else None)", "out-of-bounds-load"),
        ("test_undefined_lanes", "tl.store(y_ptr, tl.sum(", "undefined-lane"),
        ("test_the_compiler_refuses", "tl.store(x_ptr, x)", "compile-error"),
        ("test_reads_what_nobody_wrote", "mask=mask if MASKED else None)", "uninitialised-read"),
    ],
)
def test_a_wrong_kernel_fails_its_test_with_the_line(printed: str, test: str, place: str, code: str) -> None:
    assert f"FAILED test_kernels.py::{test}" in printed
    part = printed.split(f"_ {test} _")[1].split("\n____")[0]
    assert f"kernels.py:{line(place)}: " in part
    assert f"[{code}]" in part


def test_a_launch_that_triton_refuses_fails_at_the_callers_line(printed: str) -> None:
    part = printed.split("_ test_an_argument_is_missing _")[1].split("\n____")[0]
    place = next(n for n, one in enumerate(SUITE.splitlines(), 1) if "copy_kernel[(1,)]" in one)
    assert f"test_kernels.py:{place}: " in part
    assert "y_ptr" in part


def test_a_failure_of_its_own_stays_and_shows_findings_beside_it(printed: str) -> None:
    part = printed.split("_ test_fails_by_itself _")[1].split("\n____")[0]
    assert "AssertionError" in part or "assert not" in part
    assert "Triton kernels" in part
    assert "[out-of-bounds-load]" in part


def test_what_is_not_interpreted_is_said(printed: str) -> None:
    assert "SKIPPED [1] test_kernels.py" in printed
    assert "not interpreted in 1 test: kernels.py:" in printed
    assert "8 tests launched" not in printed


def test_off_it_imports_nothing_and_a_marker_turns_it_on_for_one_test(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "test_marked.py").write_text(MARKED)
    printed = run(tmp_path)
    assert "FAILED test_marked.py::test_on" in printed
    assert "[out-of-bounds-load]" in printed
    assert "PASSED test_marked.py::test_off\n" in printed
    assert "PASSED test_marked.py::test_off_again" in printed


FIXTURE = """
import pytest
import torch
from kernels import copied


def plain(x):
    y = torch.empty_like(x)
    from kernels import copy_kernel
    copy_kernel[(2,)](x, y, x.numel(), BLOCK_SIZE=64, MASKED=True)
    return y


@pytest.mark.parametrize("reference", [lambda x: x.clone(), lambda x: x + 1])
def test_verified(verify_kernel, reference):
    copied(torch.randn(100, device="cuda"), masked=False)
    verify_kernel(plain, reference, cases=[dict(x=torch.randn(100))], vary=False)
    assert torch.zeros(3, device="cuda").is_cuda
"""


def test_a_fixture_verifies_a_function_also_where_launches_are_interpreted(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "test_verified.py").write_text(FIXTURE)
    printed = run(tmp_path, "--triton-verify")
    right, wrong = printed.split("_ test_verified[<lambda>0] _")[1].split("_ test_verified[<lambda>1] _")
    assert "[out-of-bounds-load]" in right  # of the launch before: kept meanwhile
    assert "Error" not in right
    assert "✗ fail  plain" in wrong
