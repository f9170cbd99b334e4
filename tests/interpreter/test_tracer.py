"""The tracer as its users see it: what it patches, what it prints, how errors arrive."""

from __future__ import annotations

import collections
import inspect
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import TorchDispatchMode
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.language import patches
from tritonpuzzles.engine.interpreter.selftest import problems
from tritonpuzzles.supported import is_tested

from .zoo.arithmetic import add
from .zoo.softmax import one_tile


@triton.jit
def prints(x_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(x_ptr + pid * B + tl.arange(0, B))
    tl.static_print("block", B)
    print("sum", tl.sum(x))
    if pid == 1:
        tl.device_print("only one", pid)


@triton.jit
def copy_shared_grid(x_ptr):
    tl.device_print("at", tl.program_id(1))


@triton.jit
def fails_in_one_program(x_ptr):
    pid = tl.program_id(0)
    tl.device_assert(pid != 2, "two is wrong")
    tl.store(x_ptr + pid, pid)


@triton.jit
def wrong_shapes(x_ptr):
    a = tl.arange(0, 16)
    b = tl.arange(0, 32)
    tl.store(x_ptr + a, a + b)


def helper_that_fails(x):
    raise LookupError("no such thing")


@triton.jit
def calls_python(x_ptr):
    x = tl.load(x_ptr)
    helper_that_fails(x)


@triton.jit
def inline_assembly(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x_ptr + tl.arange(0, 16), y)


@triton.autotune(configs=[triton.Config({"B": 32}, num_warps=2), triton.Config({"B": 64})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def tuned(x_ptr, y_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + offsets) if EVEN else tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(y_ptr + offsets, x + B, mask=offsets < n)


def launch_add(**options: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    x, y, z = torch.randn(100), torch.randn(100), torch.empty(100)
    add[(4,)](x, y, z, 100, BLOCK=32, **options)
    return x, y, z


def cross_compile(kernel: Any) -> Any:
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "stride": "i32", "n_cols": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=kernel, signature=signature, constexprs={"BLOCK": 64})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


def state() -> list[Any]:
    static = [inspect.getattr_static(owner, name, None) for owner, name, _ in patches()]
    return [*static, JITFunction.run, JITFunction.__call__, triton.runtime.autotuner.Autotuner.run]


def test_selftest() -> None:
    assert problems() == []
    assert is_tested(triton.__version__)


def test_nothing_stays_patched() -> None:
    before, names = state(), set(vars(inspect.getmodule(add.fn)))
    with Tracer():
        launch_add()
    assert state() == before
    assert set(vars(inspect.getmodule(add.fn))) == names
    with pytest.raises(KernelError), Tracer():
        wrong_shapes[(1,)](torch.zeros(32))
    assert state() == before


def test_interpret_and_compile_in_one_process() -> None:
    x, y = torch.randn(9, 45), torch.empty(9, 45)
    compiled = []
    with Tracer() as tracer:
        tracer.on_launch = lambda function, args, kwargs: compiled.append(cross_compile(function))
        one_tile[(9,)](x, y, 45, 45, 64)
        one_tile[(9,)](x, y, 45, 45, 64)
    torch.testing.assert_close(y, torch.softmax(x, 1))
    compiled.append(cross_compile(one_tile))
    assert [kernel.metadata.name for kernel in compiled] == ["one_tile"] * 3


def test_what_was_launched() -> None:
    with Tracer() as tracer:
        x, _, _ = launch_add(num_warps=8, num_stages=1)
    (trace,) = tracer.launches
    assert trace.options == {"num_warps": 8, "num_stages": 1}
    assert list(trace.bound) == ["x_ptr", "y_ptr", "z_ptr", "n", "BLOCK"]
    assert trace.bound["x_ptr"] is x
    assert trace.bound["BLOCK"] == 32


def test_on_launch_sees_the_call() -> None:
    calls = []
    with Tracer() as tracer:
        tracer.on_launch = lambda *call: calls.append(call)
        launch_add(num_warps=8)
    ((function, args, kwargs),) = calls
    assert function is add
    assert len(args) == 4
    assert kwargs == {"BLOCK": 32, "num_warps": 8}


def test_grid_may_be_a_function() -> None:
    x, y, z = torch.randn(100), torch.randn(100), torch.empty(100)
    with Tracer() as tracer:
        add[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, y, z, 100, BLOCK=32)
    assert tracer.launches[0].grid == (4, 1, 1)


def test_autotune_takes_the_first_configuration_and_heuristics_count() -> None:
    x, y = torch.randn(100), torch.empty(100)
    with Tracer() as tracer:
        tuned[lambda meta: (triton.cdiv(100, meta["B"]),)](x, y, 100)
    assert torch.equal(y, x + 32)
    (trace,) = tracer.launches
    assert trace.bound["B"] == 32
    assert trace.bound["EVEN"] is False
    assert trace.options["num_warps"] == 2


def test_dispatch_modes_do_not_see_the_interpreter() -> None:
    class Recorder(TorchDispatchMode):
        seen: list[str] = []  # noqa: RUF012

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x, y, z = torch.randn(100), torch.randn(100), torch.zeros(100)
    with Recorder() as recorder, Tracer():
        add[(4,)](x, y, z, 100, BLOCK=32)
    assert recorder.seen == []
    assert torch.equal(z, x + y)


def test_prints_are_labelled_by_program(capsys: pytest.CaptureFixture[str]) -> None:
    with Tracer():
        prints[(3,)](torch.ones(24), 8)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["block 8", "(0, 0, 0) sum 8.0", "(1, 0, 0) sum 8.0", "(1, 0, 0) only one: 1", "(2, 0, 0) sum 8.0"]


def test_an_error_carries_file_line_and_program() -> None:
    with pytest.raises(KernelError) as caught, Tracer(user_file=__file__):
        fails_in_one_program[(4,)](torch.zeros(4, dtype=torch.int32))
    error = caught.value
    assert "two is wrong" in error.message
    assert (error.file, error.line) == (__file__, fails_in_one_program.starting_line_number + 3)
    assert error.program == (2, 0, 0)
    assert isinstance(error.__cause__, AssertionError)


def test_a_shape_error_has_the_line_of_the_kernel() -> None:
    with pytest.raises(KernelError) as caught, Tracer():
        wrong_shapes[(4,)](torch.zeros(32))
    assert caught.value.line == wrong_shapes.starting_line_number + 4
    assert caught.value.file == __file__


def test_an_error_in_a_python_helper() -> None:
    with pytest.raises(KernelError, match="LookupError: no such thing") as caught, Tracer():
        calls_python[(1,)](torch.zeros(1))
    assert isinstance(caught.value.__cause__, LookupError)


def test_unsupported_operation_is_named() -> None:
    with pytest.raises(KernelError, match=r"inline assembly .* cannot be run on a CPU") as caught, Tracer():
        inline_assembly[(1,)](torch.zeros(16))
    assert caught.value.code == "unsupported-operation"


@pytest.mark.parametrize(
    ("grid", "message"),
    [((2.5,), "use triton.cdiv"), (5, "must be a tuple"), ((-1,), "-1"), ((1, 70_000), "65,535"), ((), "1 to 3")],
)
def test_impossible_grids(grid: Any, message: str) -> None:
    x = torch.zeros(100)
    with pytest.raises(KernelError, match=message) as caught, Tracer():
        add[grid](x, x, x, 100, BLOCK=32)
    assert caught.value.file == __file__


@pytest.mark.parametrize(("grid", "numbers"), [((1, 70_000), ("Axis 1", "65,535", "70,000")), ((2**31,), ("Axis 0",))])
def test_a_grid_that_no_gpu_takes_has_a_code_and_numbers(grid: tuple[int, ...], numbers: tuple[str, ...]) -> None:
    x = torch.zeros(100)
    with pytest.raises(KernelError) as caught, Tracer():
        add[grid](x, x, x, 100, BLOCK=32)
    assert caught.value.code == "grid-too-large"
    assert all(number in caught.value.message for number in numbers)


def test_missing_argument() -> None:
    with pytest.raises(KernelError, match="BLOCK"), Tracer():
        add[(1,)](torch.zeros(1), torch.zeros(1), torch.zeros(1), 1)


def test_after_an_error_the_tracer_goes_on() -> None:
    with Tracer() as tracer:
        with pytest.raises(KernelError):
            wrong_shapes[(1,)](torch.zeros(32))
        x, y, z = launch_add()
    assert torch.equal(z, x + y)
    assert len(tracer.launches) == 1


def test_named_tuples_and_closures() -> None:
    Pair = collections.namedtuple("Pair", ["source", "target"])
    factor = tl.constexpr(3)

    @triton.jit
    def scaled(x):
        return x * factor

    @triton.jit
    def kernel(pair, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(pair.source + offsets, mask=offsets < n, other=0.0)
        tl.store(pair.target + offsets, scaled(x), mask=offsets < n)

    x, y = torch.randn(50), torch.empty(50)
    with Tracer() as tracer:
        kernel[(4,)](Pair(x, y), 50, BLOCK=16)
    assert torch.equal(y, 3 * x)
    assert [argument.name for argument in tracer.launches[0].arguments] == ["pair[0]", "pair[1]"]


def test_fallback_to_one_program_at_a_time() -> None:
    """A Python helper that cannot see a batch works on one program at a time, and the trace says so."""

    def only_one(x: Any) -> Any:
        if len(x.handle.data) > 1:
            raise NotImplementedError("not for a batch")
        return x

    @triton.jit
    def kernel(x_ptr):
        pid = tl.program_id(0)
        tl.store(x_ptr + pid, only_one(pid) * 2)

    x = torch.zeros(5, dtype=torch.int32)
    with Tracer() as tracer:
        kernel[(5,)](x)
    assert x.tolist() == [0, 2, 4, 6, 8]
    assert tracer.launches[0].fallback == "NotImplementedError: not for a batch"
    assert tracer.launches[0].arguments[0].stored_bytes == 20


def test_lines_of_the_users_file_come_first(tmp_path: Path) -> None:
    with Tracer(user_file=__file__) as tracer:
        launch_add()
    assert {file for file, *_ in tracer.launches[0].lines} == {__file__}


def test_plain_interpreter_and_tracer_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.raises(RuntimeError, match="TRITON_INTERPRET"), Tracer():
        pass
