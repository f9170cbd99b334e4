"""What a host function may do, written down; and what it may not, refused at its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.launches import Launches, LaunchRefusedError
from tritonpuzzles.recorder.recording import ForbiddenError, Recording
from tritonpuzzles.recorder.stand_ins import recorded
from tritonpuzzles.recorder.tensors import GPU, Recorded
from tritonpuzzles.wire.program import Allocate, Choose, Copy, Fill, Launch, View

HERE = str(Path(__file__))


class Host:
    """A recording with one input: a (3, 3) slice of rows of 4."""

    def __init__(self) -> None:
        self.recording = Recording(HERE, "f(x)", KernelTable())
        self.x = self.recording.input(torch.empty(3, 4, device="meta")[:, :3])

    def run(self, function: Callable[[Any], Any]) -> Any:
        with recorded(self.recording):
            return function(self.x)


def test_allocation_reshaping_and_copies_are_written_down() -> None:
    host = Host()

    def function(x: Any) -> Any:
        y = torch.empty_like(x)
        z = x.contiguous()
        torch.zeros(5, device="cuda")
        return y.view(-1).reshape(3, 3).t(), z

    turned, copied = host.run(function)
    made, target, copy, zeros, fill = host.recording.steps
    assert isinstance(made, Allocate)
    assert (made.nbytes, made.dtype) == (36, "float32")
    assert isinstance(target, Allocate)
    assert copy == Copy(View(0, "float32", (3, 3), (4, 1)), View(2, "float32", (3, 3), (3, 1)), copy.line)  # type: ignore[union-attr]
    assert isinstance(zeros, Allocate)
    assert isinstance(fill, Fill)
    assert host.recording.view(turned) == View(1, "float32", (3, 3), (1, 3))
    assert host.recording.view(copied).storage == 2
    assert {(item.name, item.calls, item.bytes) for item in host.recording.operations} >= {
        ("clone", 1, 36),
        ("zeros", 1, 20),
    }
    assert not host.recording.findings


@pytest.mark.parametrize(
    ("work", "name"),
    [
        ("x + 1", "add"),
        ("x.half()", "_to_copy"),
        ("x.to(torch.float16)", "_to_copy"),
        ("torch.softmax(x, -1)", "_softmax"),
        ("x.sum()", "sum"),
        ("x.max(dim=1)", "max"),
        ("x.copy_(x.contiguous())", "copy_"),
        ("torch.cat([x, x])", "cat"),
        ("torch.empty(3, device='cuda').normal_()", "normal_"),
        ("torch.rand(3)", "rand"),
        ("torch.arange(3)", "arange"),
        ("torch.empty_like(x).resize_(100)", "resize_"),
    ],
)
def test_work_is_a_finding_with_its_line(work: str, name: str) -> None:
    host = Host()
    with pytest.raises(ForbiddenError):
        host.run(lambda x: exec(compile(f"\n\n{work}", HERE, "exec"), {"torch": torch, "x": x}))
    (found,) = host.recording.findings
    assert (found.code, found.line, found.details["operation"]) == ("torch-compute", 3, name)


@pytest.mark.parametrize(
    "reads",
    [
        *("x.numpy()", "x.tolist()", "x.cpu()", "x[0, 0].item()", "bool(x[0, 0])", "int(x[0, 0])", "float(x[0, 0])"),
        *("[1, 2, 3][x[0, 0]]", "x.__dlpack__()", "__import__('numpy').asarray(x)", "x.to('cpu')"),
    ],
)
def test_there_is_no_number_to_read(reads: str) -> None:
    host = Host()
    with pytest.raises(ForbiddenError):
        host.run(lambda x: exec(compile(f"\n\n{reads}", HERE, "exec"), {"torch": torch, "x": x}))
    assert [(found.code, found.line) for found in host.recording.findings] == [("torch-compute", 3)]


def test_printing_a_tensor_gives_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    Host().run(print)
    assert "shape (3, 3), torch.float32, on cuda:0" in capsys.readouterr().out


def test_a_host_that_was_written_for_a_gpu_finds_one() -> None:
    host = Host()

    def function(x: Any) -> Any:
        assert x.is_cuda
        assert not x.is_cpu
        assert x.device == GPU
        assert x.get_device() == 0
        assert x.to("cuda") is x
        assert x.cuda() is x
        assert x.data_ptr() % 256 == 0
        assert x[1].data_ptr() - x.data_ptr() == 16
        return [torch.empty(2, device=x.device), x.new_empty(2), torch.empty_like(x), torch.empty(2, device="cuda:0")]

    assert all(isinstance(made, Recorded) and made.device == GPU for made in host.run(function))


def test_memory_on_the_cpu_is_named_where_it_is_used() -> None:
    host = Host()
    host.recording.view(host.run(lambda x: torch.empty(3)))
    assert [found.code for found in host.recording.findings] == ["wrong-device"]


def test_an_operator_of_another_library_is_none_of_torchs() -> None:
    library = torch.library.Library("impostor", "DEF")
    library.define("empty(Tensor x) -> Tensor")
    library.impl("empty", lambda x: x * 2, "CompositeExplicitAutograd")
    host = Host()
    with pytest.raises(ForbiddenError):
        host.run(lambda x: torch.ops.impostor.empty(x))
    (found,) = host.recording.findings
    assert found.details["operation"] == "impostor::empty"


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"], reset_to_zero=["y_ptr"])
@triton.jit
def add_to(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@pytest.mark.parametrize("passed", [{"BLOCK": 16}, {"num_warps": 4}])
def test_a_launch_does_not_pass_what_a_configuration_sets(passed: dict[str, int]) -> None:
    host = Host()
    with Launches(host.recording, example("H100")).active(), pytest.raises(LaunchRefusedError) as refused:
        host.run(lambda x: add_to[(1,)](x, torch.empty_like(x), 9, **passed))
    (name,) = passed
    assert refused.value.finding.message == (
        f"The kernel stops: add_to: @triton.autotune sets {name}, and the launch passes the same."
    )
    assert f"Leave {name} out of the launch" in str(refused.value.finding.next_step)


def test_an_autotuner_clears_where_it_tunes_and_in_no_later_call() -> None:
    def function(x: Any, n: int) -> None:
        add_to[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, torch.empty_like(x), n)

    def steps(n: int) -> list[tuple[type, ...]]:
        host = Host()
        with Launches(host.recording, example("H100")).active():
            host.run(lambda x: function(x, n))
        (choose,) = (step for step in host.recording.steps if isinstance(step, Choose))
        return [tuple(map(type, choice)) for choice in choose.choices]

    assert [steps(n) for n in (9, 9, 8)] == [[(Fill, Launch)] * 2, [(Launch,)] * 2, [(Fill, Launch)] * 2]
