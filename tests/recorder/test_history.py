"""What a host function keeps between calls: other calls with the same shapes come before each recorded one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder.call import HostCall
from tritonpuzzles.recorder.history import Others, others_like
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.recording import ForbiddenError, Recording
from tritonpuzzles.recorder.session import new_tensors
from tritonpuzzles.recorder.stand_ins import recorded
from tritonpuzzles.wire.job import JobCase, JobHost, JobInput
from tritonpuzzles.wire.program import Launch

HERE = Path(__file__)
GPU = example("sm_90")
X = JobInput("x", "", "float32", 4 * 3 * 4, (3, 4), (4, 1), 0)
CASE = JobCase("a case", (X,), 1 << 20, values={"flag": False})
OTHER = JobCase("another one", (X,), 1 << 20, values={"flag": True})


@triton.jit
def kernel(x_ptr, y_ptr, stride, FLAG: tl.constexpr):  # type: ignore[no-untyped-def]
    """Do nothing."""


def record(
    function: Callable[..., Any], host: JobHost, case: JobCase = CASE, recording: Recording | None = None
) -> tuple[Recording, Any]:
    """Record a call after others, as a session does."""
    new = partial(Recording, str(HERE), "f(x)", KernelTable(), host.goes_back(case))
    call = HostCall(function, host, case, HERE)
    recording = new() if recording is None else recording
    kept = Others(call, new_tensors, new, others_like(case, [CASE, OTHER]))(GPU)
    tensors = new_tensors(recording, case)
    with Launches(recording, GPU).active(), recorded(recording):
        returned = call(tensors)
        recording.program(returned if isinstance(returned, tuple) else (returned,))
    kept.clear()
    return recording, returned


FORWARD = JobHost("f", ("x", "flag"), ("y",))


def test_what_is_kept_by_shapes_is_that_of_another_call() -> None:
    strides: dict[Any, int] = {}

    def function(x: Any, flag: bool) -> Any:
        y = torch.empty_like(x)
        kernel[(1,)](x, y, strides.setdefault(tuple(x.shape), x.stride(0)), FLAG=flag)
        return y

    recording, _ = record(function, FORWARD)
    (launch,) = [step for step in recording.steps if isinstance(step, Launch)]
    assert launch.arguments["stride"].value == 4 + 16  # type: ignore[union-attr]


def test_what_is_kept_by_shapes_and_strides_is_its_own_and_a_flag_is_that_of_another_call() -> None:
    flags: dict[Any, bool] = {}

    def function(x: Any, flag: bool) -> Any:
        y = torch.empty_like(x)
        kernel[(1,)](x, y, x.stride(0), FLAG=flags.setdefault((tuple(x.shape), x.stride()), flag))
        return y

    recording, _ = record(function, FORWARD)
    (launch,) = [step for step in recording.steps if isinstance(step, Launch)]
    assert launch.arguments["stride"].value == 4  # type: ignore[union-attr]
    assert launch.arguments["FLAG"].value is True  # type: ignore[union-attr]


def test_a_tensor_of_another_call_is_refused_at_the_line_that_allocates_it() -> None:
    kept: dict[Any, Any] = {}

    def function(x: Any, flag: bool) -> Any:
        y = kept.setdefault(tuple(x.shape), None)
        if y is None:
            y = kept[tuple(x.shape)] = torch.empty_like(x)  # here
        kernel[(1,)](x, y, x.stride(0), FLAG=flag)
        return y

    recording = Recording(str(HERE), "f(x)", KernelTable())
    with pytest.raises(ForbiddenError, match="y_ptr is a tensor of another call: f"):
        record(function, FORWARD, recording=recording)
    (finding,) = recording.findings
    assert finding.line is not None
    assert HERE.read_text(encoding="utf-8").splitlines()[finding.line - 1].endswith("# here")


def test_other_calls_may_fail_and_leave_nothing_in_the_recording() -> None:
    def function(x: Any, flag: bool) -> Any:
        if flag or not x.is_contiguous():
            raise ValueError("not this one")
        torch.zeros_like(x)
        return torch.empty_like(x)

    recording, _ = record(function, FORWARD)
    assert len(recording.steps) == 3
    assert not recording.findings


BACKWARD = JobHost("f", ("x", "flag"), ("dx", "y"), gradients=("g",))
G = JobInput("g", "", "float32", 4 * 3 * 4, (3, 4), (4, 1), 0)
TWICE = JobCase(
    "backwards", (JobInput(**{**vars(X), "requires_grad": True}), G, JobInput(**{**vars(G), "name": "g_2"})), 1 << 20,
    values={"flag": False}, gradients=("g", "g_2"),
)  # fmt: skip


@pytest.mark.parametrize("held", ["object", "view", ""])
def test_a_gradient_that_the_graph_keeps_is_reported(held: str) -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, flag: bool) -> Any:
            ctx.save_for_backward(x)
            ctx.kept = []
            return torch.empty_like(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            made = torch.empty_like(g)
            if held:
                ctx.kept.append(made if held == "object" else made.view(-1))
            return made, None

    def function(x: Any, flag: bool) -> Any:
        return Square.apply(x, flag)  # type: ignore[no-untyped-call]

    recording, (first, second, _) = record(function, BACKWARD, TWICE)
    assert first is not second
    assert [finding.code for finding in recording.findings] == ["cached-answer"] * bool(held)
    for finding in recording.findings:
        line = HERE.read_text(encoding="utf-8").splitlines()[(finding.line or 0) - 1]
        assert "made = torch.empty_like(g)" in line


@pytest.mark.parametrize(
    ("keep", "noted"),
    [
        (lambda ctx, x: setattr(ctx, "x", x), ["saved-as-attribute"]),
        (lambda ctx, x: setattr(ctx, "pair", (1, x.T)), ["saved-as-attribute"]),
        (lambda ctx, x: (ctx.save_for_backward(x), setattr(ctx, "x", x)), []),
        (lambda ctx, x: ctx.save_for_backward(x), []),
    ],
)
def test_an_argument_that_ctx_holds_as_an_attribute_is_noted(keep: Callable[[Any, Any], Any], noted: list[str]) -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, flag: bool) -> Any:
            keep(ctx, x)
            return torch.empty_like(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return torch.empty_like(g), None

    recording, _ = record(lambda x, flag: Square.apply(x, flag), BACKWARD, TWICE)  # type: ignore[no-untyped-call]
    assert [finding.code for finding in recording.findings] == noted


def _with_flag(flag: Callable[[Any], bool]) -> Callable[..., Any]:
    def function(x: Any, **_: Any) -> Any:
        y = torch.empty_like(x)
        kernel[(1,)](x, y, x.stride(0), FLAG=flag(x))
        return y

    return lambda x, _: function(x)


@pytest.mark.parametrize(
    ("flag", "columns", "differs"),
    [
        (lambda x: isinstance(x, torch.nn.Parameter), 4, True),
        (lambda x: not x.is_inference() and x._version > 0, 4, True),  # 3 + 4 is odd
        (lambda x: x.is_inference(), 5, True),  # 3 + 5 is even
        (lambda x: x.is_inference(), 4, False),
        (lambda x: x.is_contiguous(), 4, False),
        (lambda x: x.data_ptr() % 16 == 0, 4, False),
    ],
)
def test_what_no_kernel_sees_decides_nothing(flag: Callable[[Any], bool], columns: int, differs: bool) -> None:
    given = JobInput("x", "", "float32", 4 * 3 * columns, (3, columns), (columns, 1), 0)
    case = JobCase("a case", (given,), 1 << 20, values={"flag": False})
    new = partial(Recording, str(HERE), "f(x)", KernelTable())
    recording, host = new(), HostCall(_with_flag(flag), FORWARD, case, HERE)
    others = Others(host, new_tensors, new, others_like(case, [case]))
    others(GPU)
    tensors = new_tensors(recording, case)
    with Launches(recording, GPU).active(), recorded(recording):
        host(tensors)
    found = others.unlike(recording)
    assert (found is not None) is differs
    if found is not None:
        assert found[1] == "FLAG is False here, and True there"


def test_a_call_that_launches_once_more_than_the_one_like_it() -> None:
    calls: list[int] = []

    def function(x: Any, flag: bool) -> Any:
        y = torch.empty_like(x)
        calls.append(1)
        for _ in range(2 if len(calls) == 3 else 1):
            kernel[(1,)](x, y, x.stride(0), FLAG=flag)
        return y

    new = partial(Recording, str(HERE), "f(x)", KernelTable())
    recording, host = new(), HostCall(function, FORWARD, CASE, HERE)
    others = Others(host, new_tensors, new, others_like(CASE, [CASE]))
    others(GPU)
    tensors = new_tensors(recording, CASE)
    with Launches(recording, GPU).active(), recorded(recording):
        host(tensors)
    found = others.unlike(recording)
    assert found is not None
    assert found[1] == "kernels are launched 2 times here, and 1 time there"
