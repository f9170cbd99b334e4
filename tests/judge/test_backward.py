# ruff: noqa: E501 (tables of long lines)
"""A backward call: gradients and results are compared, and what has the wrong form is named once, where it was made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.limits import Limits
from tritonpuzzles.curriculum.record import Argument, OutputSpec, Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Verdict

SOURCE = """
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n).to(tl.float32)
    tl.store(y_ptr + offsets, x * x, mask=offsets < n)


@triton.jit
def square_backward_kernel(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n).to(tl.float32)
    dy = tl.load(dy_ptr + offsets, mask=offsets < n).to(tl.float32)
    tl.store(dx_ptr + offsets, 2 * x * dy, mask=offsets < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        if x.numel():
            square_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        if x.numel():
            square_backward_kernel[(triton.cdiv(x.numel(), 64),)](x, dy, dx, x.numel(), BLOCK=64)
        return None, dx


def square(x):
    return Square.apply(64, x)
"""


@pytest.fixture
def backward(square: Puzzle) -> Puzzle:
    """The fixture's puzzle, differentiated."""
    return replace(
        square,
        arguments=(Argument("x", requires_grad=True),),
        gradients=(Argument("dy"),),
        outputs=(OutputSpec("dx", "exact"),),
        results=(OutputSpec("y", "exact"),),
        limits=Limits(loads={"x": 2, "y": 0}, stores={"y": 1, "dx": 1}),
    )


def checked(puzzle: Puzzle, old: str, new: str, folder: Path) -> PuzzleResult:
    assert old in SOURCE
    path = folder / "p01_square.py"
    path.write_text(SOURCE.replace(old, new))
    return check([(puzzle, path)], CheckOptions(device="cpu", seed=3, targets=())).results[0]


def test_results_are_outputs(backward: Puzzle, tmp_path: Path) -> None:
    result = checked(backward, "64", "64", tmp_path)
    assert result.verdict is Verdict.PASS, result.findings
    roles = {row.tensor: (row.role, row.limit) for row in result.traffic}
    assert roles == {"x": ("input", 2), "dy": ("input", None), "y": ("output", 1), "dx": ("output", 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("y_ptr + offsets, x * x,", "y_ptr + offsets, x + x,", "wrong-values", "of y are wrong (every element). dx right."),
        ("2 * x * dy", "x * dy", "wrong-values", "of dx are wrong (every element). y right."),
        ("x * x, mask=offsets < n", "x * x, mask=offsets < 1", "unwritten-elements", "The output y has "),
        ("return y\n", "return y + 0\n", "torch-compute", "square(x) runs torch's add"),
        ("backward(x)", "backward(x.data)", "version-hidden", "x.data hides changes of x from PyTorch: gradients would be wrong"),
        ("return y\n", "return y.zero_()\n", "host-wrote-output", "square(x) writes with torch's zero_"),
    ],
)  # fmt: skip
def test_a_wrong_result_is_seen_beside_a_right_gradient(
    old: str, new: str, code: str, said: str, backward: Puzzle, tmp_path: Path
) -> None:
    result = checked(backward, old, new, tmp_path)
    assert result.verdict is Verdict.FAIL
    assert said in next(finding.message for finding in result.findings if finding.code == code)


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("dx = torch.empty_like(x)", "dx = torch.empty_like(x, dtype=torch.float32)", "wrong-dtype", "The backward pass of square(x) returns dx in float32; it must be float16, the inputs' own."),
        ("dx = torch.empty_like(x)", "dx = torch.empty((1, *x.shape), dtype=x.dtype, device=x.device)", "wrong-shape", "The backward pass of square(x) returns dx with shape (1, "),
        ("return None, dx", "return None, None", "wrong-type", "The backward pass of square(x) returns None for x; a plain torch.Tensor of shape ("),
        ("y = torch.empty_like(x)", "y = torch.empty_like(x, dtype=torch.float32)", "wrong-dtype", "square(x) returns y in float32; float16 is expected."),
        ("return Square.apply(64, x)", "return Square.apply(64, x)[None]", "wrong-shape", "square(x) returns y with shape (1, "),
        ("return Square.apply(64, x)", "return Square.apply(64, x.detach())", "no-gradient", "What square(x) returns has no gradient function."),
        ("return Square.apply(64, x)", "return 2 * (Square.apply(64, x),)", "no-gradient", "square(x) returns 2 values; 1 tensor is expected."),
    ],
)  # fmt: skip
def test_a_form_is_named_and_nothing_else_is_said(
    old: str, new: str, code: str, said: str, backward: Puzzle, tmp_path: Path
) -> None:
    result = checked(backward, old, new, tmp_path)
    assert not result.passed
    assert {finding.code for finding in result.findings} == {code}
    assert said in result.findings[0].message


def test_a_backward_pass_in_pytorch_is_seen(backward: Puzzle, tmp_path: Path) -> None:
    result = checked(backward, "return Square.apply(64, x)", "return x * x", tmp_path)
    assert "square(x) runs torch's mul" in next(f.message for f in result.findings if f.code == "torch-compute")


TWICE = {
    "return Square.apply(64, x)": "return Square.apply(64, x, x)",
    "def forward(ctx, block, x):": "def forward(ctx, block, x, again):",
    "2 * x * dy": "x * dy",
}


def used_twice(returned: str, puzzle: Puzzle, folder: Path, more: str = "") -> PuzzleResult:
    """Check a function that takes x twice, and whose backward pass returns these two gradients of it."""
    source = SOURCE + more
    for old, new in {**TWICE, "return None, dx": f"return None, {returned}"}.items():
        assert old in source
        source = source.replace(old, new)
    path = folder / "p01_square.py"
    path.write_text(source)
    return check([(puzzle, path)], CheckOptions(device="cpu", seed=3, targets=())).results[0]


def test_autograd_adds_what_kernels_wrote(backward: Puzzle, tmp_path: Path) -> None:
    result = used_twice("dx, dx", backward, tmp_path)
    assert result.verdict is Verdict.PASS, result.findings


@pytest.mark.parametrize("returned", ["dx, x", "x, x", "dx, x.clone()", "dx, torch.zeros_like(x)", "dx, dx + dx"])
def test_what_no_kernel_wrote_is_work_of_pytorchs(returned: str, backward: Puzzle, tmp_path: Path) -> None:
    result = used_twice(returned, backward, tmp_path)
    assert "square(x) runs torch's add" in next(f.message for f in result.findings if f.code == "torch-compute")
    assert not any(finding.code == "tampering" for finding in result.findings)


FORGED = """
import tritonpuzzles.recorder.call as grader
space = {"__name__": grader.__name__}
exec(compile("def add(a, b):\\n    return a + b\\n", grader.__file__, "exec"), space)
"""


@pytest.mark.parametrize("added", ["space['add'](dx, dx)", "torch.autograd.grad(x * x, x, dx)[0]"])
def test_another_function_is_not_taken_for_autograd(added: str, backward: Puzzle, tmp_path: Path) -> None:
    result = used_twice(f"dx, {added}", backward, tmp_path, FORGED)
    assert "torch-compute" in {finding.code for finding in result.findings}
