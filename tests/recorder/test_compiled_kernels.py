"""Hosts that do more with a kernel than launch it: warm it up, wrap it, make an operator of it, write it in Gluon."""

from __future__ import annotations

import pytest
import torch

from tests.conftest import Check
from tritonpuzzles.recorder.stand_ins import unwrapped
from tritonpuzzles.results.check import Verdict

pytestmark = pytest.mark.slow

WARM = "kernel = square_kernel.warmup(x, y, x.numel(), BLOCK_SIZE=256, num_warps=2, grid=(1,))\n    "


@pytest.fixture
def relaunched(check_source: Check, square_source: str) -> Check:
    """Return a function that checks the solution with another launch."""
    (line,) = [text.strip() for text in square_source.splitlines() if text.strip().startswith("square_kernel[")]

    def run(launch: str, top: str = "") -> object:
        head, tail = square_source.split("# %%\ndef square", 1)
        return check_source(f"{head}{top}\n\n# %%\ndef square{tail.replace(line, launch)}")

    return run  # type: ignore[return-value]


@pytest.mark.parametrize("constants", [", 256", "", ", BLOCK_SIZE := 512"], ids=["given", "left out", "another"])
def test_a_kernel_that_was_warmed_up_is_launched_with_its_own_constants(constants: str, relaunched: Check) -> None:
    warps = "assert kernel.metadata.num_warps == 2"
    launch = f"kernel[(triton.cdiv(x.numel(), 256), 1, 1)](x, y, x.numel(){constants})"
    result = relaunched(f"{WARM}kernel._init_handles()\n    {warps}\n    {launch}")
    assert [finding.message for finding in result.findings] == []
    assert result.verdict is Verdict.PASS
    assert {item.num_warps for item in result.compile} == {2}


def test_a_warm_up_tells_what_the_compiled_kernel_takes(relaunched: Check) -> None:
    figures = "print('takes', kernel.n_regs, kernel.n_spills, kernel.metadata.shared)\n    "
    result = relaunched(
        f"{WARM}kernel._init_handles()\n    {figures}kernel[(triton.cdiv(x.numel(), 256), 1, 1)](x, y, 1)"
    )
    compiled = {(item.registers, item.shared_bytes) for item in result.compile if item.target == "sm_80"}
    told = {line for line in result.output.splitlines() if line.startswith("takes")}
    assert compiled
    assert {f"takes {registers} 0 {shared}" for registers, shared in compiled} <= told


def test_a_warm_up_of_what_does_not_compile_says_why(relaunched: Check) -> None:
    broken = "@triton.jit\ndef broken_kernel(x_ptr, N: tl.constexpr):\n    x = tl.load(x_ptr)\n    x[0] = 1\n"
    result = relaunched("print(broken_kernel.warmup(x, N=4, grid=(1,)).n_regs)", broken)
    assert result.findings[0].code == "compile-error"
    assert result.findings[0].line is not None


def test_a_warmed_kernel_is_launched_in_later_calls(relaunched: Check) -> None:
    kept = "kernel = KEPT.setdefault(x.dtype, None) or square_kernel.warmup(x, y, 3, BLOCK_SIZE=256, grid=(1,))\n    "
    launch = "KEPT[x.dtype] = kernel\n    kernel[(triton.cdiv(x.numel(), 256), 1, 1)](x, y, x.numel())"
    result = relaunched(kept + launch, "KEPT = {}")
    assert [finding.message for finding in result.findings] == []
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("compiled", "says"),
    [("1", "square_kernel was compiled for n_elements = 1, a constant, and is launched with"),
     ("64", "square_kernel was compiled for n_elements = 64, a multiple of 16, and is launched with"),
     ("0", "square_kernel was compiled for n_elements = 0, a multiple of 16, and is launched with")],
)  # fmt: skip
def test_a_compiled_kernel_takes_the_numbers_that_it_was_compiled_for(
    compiled: str, says: str, relaunched: Check
) -> None:
    warm = f"kernel = square_kernel.warmup(x, y, {compiled}, BLOCK_SIZE=256, grid=(1,))\n    "
    result = relaunched(f"{warm}kernel[(triton.cdiv(x.numel(), 256), 1, 1)](x, y, x.numel())")
    assert result.findings[0].code == "promise-broken"
    assert result.findings[0].message.startswith(says)
    assert result.findings[0].line is not None


GRID = "(triton.cdiv(x.numel(), 256),)"
MADE = """@triton.jit
def made_kernel(x_ptr, y_ptr, n, B: tl.constexpr):
    rows = tl.make_tensor_descriptor(x_ptr, [n], [1], [B])
    tl.store(y_ptr + tl.arange(0, B), rows.load([0]), mask=tl.arange(0, B) < n)
"""


@pytest.mark.parametrize(
    ("launch", "top", "code"),
    [
        (f"square_kernel[{GRID}](x, y, x.numel() - x.is_inference(), BLOCK_SIZE=256)", "", "unlike-calls"),
        ("made_kernel[(1,)](x, y, x.numel(), B=256)", MADE, "no-allocator"),
    ],
)
def test_a_launch_that_works_here_and_not_everywhere(launch: str, top: str, code: str, relaunched: Check) -> None:
    result = relaunched(launch, top)
    assert result.verdict is not Verdict.PASS
    assert code in {finding.code for finding in result.findings}


def test_a_warm_up_is_no_launch(relaunched: Check) -> None:
    result = relaunched(WARM.strip())
    assert "no-launch" in {finding.code for finding in result.findings}


def test_a_warmed_kernel_takes_no_more_arguments_than_it_has(relaunched: Check) -> None:
    result = relaunched(f"{WARM}kernel[(1,)](x, y, x.numel(), 256, 7)")
    assert "square_kernel takes 4 arguments, and 5 are given" in result.findings[0].message


OPERATOR = """
@torch.library.{kind}("mine::run", mutates_args={{"y"}})
def run(x: torch.Tensor, y: torch.Tensor) -> None:
    {work}


@run.register_fake
def _(x, y):
    return None
"""
WORK = "torch.library.wrap_triton(square_kernel)[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK_SIZE=256)"


@pytest.mark.parametrize("kind", ["triton_op", "custom_op"])
def test_an_operator_is_recorded_by_its_body(kind: str, relaunched: Check) -> None:
    assert relaunched("run(x, y)", OPERATOR.format(kind=kind, work=WORK)).verdict is Verdict.PASS


@pytest.mark.parametrize("call", ["torch.ops.mine.run(x, y)", "torch.ops.mine.run.default(x, y)"])
def test_an_operator_is_found_by_its_name(call: str, relaunched: Check) -> None:
    result = relaunched(call, OPERATOR.format(kind="custom_op", work=WORK))
    assert result.verdict is Verdict.PASS, result.findings


LIBRARY = """
library = torch.library.Library("of_mine", "FRAGMENT")


def body(x: torch.Tensor, y: torch.Tensor) -> None:
    {work}


library.define("run" + torch.library.infer_schema(body, mutates_args=["y"]))
library.impl("run", body, dispatch_key="CUDA")
library.impl("run", lambda x, y: y.copy_(x * x), dispatch_key="CPU")
library._register_fake("run", lambda x, y: None)
"""


def test_an_operator_of_a_library_is_recorded_by_its_body(relaunched: Check) -> None:
    result = relaunched("torch.ops.of_mine.run(x, y)", LIBRARY.format(work=WORK))
    assert result.verdict is Verdict.PASS, result.findings
    result = relaunched("torch.ops.of_mine.run(x, y)", LIBRARY.format(work="y.copy_(x * x)"))
    assert "torch-compute" in {finding.code for finding in result.findings}


def test_an_operator_does_not_take_the_place_of_pytorchs_own() -> None:
    before = torch.ops.aten.relu
    with unwrapped():
        torch.library.custom_op("aten::relu", mutates_args=())(lambda x: x)
    assert torch.ops.aten.relu is before


def test_an_operator_may_do_no_more_than_a_host_function(relaunched: Check) -> None:
    result = relaunched("run(x, y)", OPERATOR.format(kind="custom_op", work="y.copy_(x * x)"))
    assert "torch-compute" in {finding.code for finding in result.findings}


GLUON = """
from triton.experimental import gluon


@gluon.jit
def fast_kernel(x_ptr):
    pass
"""


def test_a_gluon_kernel_is_called_one(relaunched: Check) -> None:
    result = relaunched("fast_kernel[(1,)](x)", GLUON)
    assert {finding.code for finding in result.findings} == {"unsupported-operation"}
    assert result.findings[0].message == (
        "fast_kernel is a Gluon kernel (@gluon.jit), and this course takes Triton kernels."
    )


def test_a_launch_that_triton_refuses_is_told_once_and_without_our_own_names(relaunched: Check) -> None:
    result = relaunched("square_kernel[(1,)](torch.cuda.current_stream(), y, x.numel(), BLOCK_SIZE=256)")
    assert {finding.message for finding in result.findings} == {
        "square_kernel cannot be launched: the launch passes x_ptr = Stream, a value of no type that a kernel can take."
    }


def test_a_stream_of_its_own_is_refused(relaunched: Check) -> None:
    result = relaunched("torch.cuda.Stream(); square_kernel[(1,)](x, y, x.numel(), BLOCK_SIZE=256)")
    assert {finding.code for finding in result.findings} == {"runtime-error"}
    assert "neither waits for the inputs nor is waited for" in result.findings[0].message
    assert result.findings[0].next_step == "Launch in the current stream: leave torch.cuda.Stream out."


@pytest.mark.parametrize("module", ["torch.distributed.made_up", "torch"])
def test_operators_of_pytorchs_own_stay_its_own(module: str) -> None:
    """A call may be what makes PyTorch import them."""

    def body(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    body.__module__ = module
    with unwrapped():
        made = torch.library.custom_op(f"made_up::{module.replace('.', '_')}", mutates_args=())(body)
    assert isinstance(made, torch.library.CustomOpDef)
