"""Which launches of a check are compiled, in what order and in what time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from tests.compiler import kernels
from tests.conftest import Check
from tritonpuzzles.compiler import TARGETS, Budget, Launch, build, compile, compile_launch
from tritonpuzzles.compiler.budget import CompileTimeoutError
from tritonpuzzles.engine import cpu
from tritonpuzzles.engine.cpu import CpuRunner
from tritonpuzzles.engine.variants import distinct
from tritonpuzzles.judge.workers import compiling
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.wire.job import Job, JobHost

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
SECONDS = 30.0


def arguments(x: object, block: int) -> dict[str, object]:
    return {"x_ptr": x, "y_ptr": torch.empty(4096), "n_elements": 4096, "factor": 2.0, "BLOCK_SIZE": block}


def launch(x: object) -> Launch:
    return Launch(kernels.scale, arguments(x, 64)).without_data()


def test_a_dtype_that_arrives_by_descriptor_is_compiled_too() -> None:
    described = [TensorDescriptor.from_tensor(torch.zeros(64, 64, dtype=dtype), [16, 64]) for dtype in DTYPES]
    found = distinct([launch(x) for x in described])
    assert {str(item.arguments["x_ptr"].base.dtype) for item in found} == {str(dtype) for dtype in DTYPES}


def test_a_dtype_that_arrives_in_a_tuple_is_compiled_too() -> None:
    found = distinct([launch((torch.zeros(64, dtype=dtype), 3)) for dtype in DTYPES])
    assert {str(item.arguments["x_ptr"][0].dtype) for item in found} == {str(dtype) for dtype in DTYPES}


class SlowCompiler:
    """Takes a second for a small tile, and all the time that there is for a large one, by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[tuple[int, float]] = []  # elements of the tile, seconds that were left

    def __call__(self) -> float:
        return self.now

    def build(self, variant: Any, seconds: float) -> Any:
        elements = variant.constexprs["BLOCK_SIZE"]
        self.asked.append((elements, seconds))
        self.now += 1.0 if elements < 1024 else seconds
        if elements >= 1024:
            raise CompileTimeoutError
        return build.build(variant)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SlowCompiler:
    """A compiler that is slow by a clock of its own; what it made is kept in a worker's own folder."""
    monkeypatch.chdir(tmp_path)
    compiler = SlowCompiler()
    monkeypatch.setattr(compile, "build", compiler.build)
    monkeypatch.setattr(cpu, "Budget", lambda seconds: Budget(seconds, compiler))
    return compiler


def compiled(*blocks: int) -> tuple[list[dict[str, Any]], list[str]]:
    runner, announced = CpuRunner(), list[str]()
    for dtype, block in zip(DTYPES, blocks, strict=False):
        runner._note_launch(kernels.scale, arguments(torch.zeros(4096, dtype=dtype), block), {"num_warps": 1})
    return list(
        runner.compile(
            Job("file.py", JobHost("f", ("x",), ("y",)), "cpu", (), ("sm_80", "sm_90")), SECONDS, announced.append
        )
    ), announced


def test_the_cheapest_come_first_and_what_the_time_does_not_reach_is_named(slow: SlowCompiler) -> None:
    found, announced = compiled(4096, 64, 2048)
    read = [f"scale (BLOCK_SIZE={size}, 1 warp)" for size in (4096, 64, 2048)]
    assert announced == read + [f"scale (BLOCK_SIZE={size}, 1 warp)" for size in (64, 2048, 4096)]
    assert slow.asked == [(64, 30.0), (64, 29.0), (2048, 28.0)]
    assert [len(frame["results"]) for frame in found] == [2, 0, 0]
    assert [finding["code"] for frame in found for finding in frame["findings"]] == ["not-compiled"] * 2
    (finding,) = found[-1]["findings"]
    assert finding["message"] == (
        "scale (BLOCK_SIZE=4096, 1 warp) was not compiled for sm_80 and sm_90: the 30 s for it are over."
    )


def test_each_kernel_has_seconds_of_its_own(slow: SlowCompiler) -> None:
    runner = CpuRunner()
    for kernel in (kernels.scale, kernels.scale_again):
        runner._note_launch(kernel, arguments(torch.zeros(4096), 4096), {"num_warps": 1})
    job = Job("file.py", JobHost("f", ("x",), ("y",)), "cpu", (), ("sm_90",))
    found = list(runner.compile(job, SECONDS, lambda words: None))
    assert slow.asked == [(4096, 30.0), (4096, 30.0)]
    assert [finding["details"]["kernel"] for frame in found for finding in frame["findings"]] == [
        "scale",
        "scale_again",
    ]


def test_what_there_was_no_time_for_is_not_remembered(slow: SlowCompiler, tmp_path: Any) -> None:
    large = launch(torch.zeros(4096))
    large = Launch(large.function, {**large.arguments, "BLOCK_SIZE": 2048})
    assert compile_launch(large, TARGETS["sm_90"], tmp_path, budget=Budget(SECONDS, slow)).skipped
    assert not list(tmp_path.iterdir())


def test_ptxas_is_ended_when_its_time_is_up() -> None:
    variant = compile.specialise(launch(torch.zeros(4096)), TARGETS["sm_90"])
    with pytest.raises(CompileTimeoutError):
        build.build(variant, seconds=1e-9)
    assert build.build(variant, seconds=None).asm["cubin"]


@pytest.mark.parametrize(
    ("change", "seconds"),
    [
        (("", ""), compiling.COMPILING),
        (("x * x", "x + x"), compiling.COMPILING_FAILED),
        (("tl.arange(0, BLOCK_SIZE)", "tl.arange(0, 3)"), compiling.COMPILING_FAILED),
    ],
    ids=["right", "wrong values", "stopped"],
)
def test_a_file_that_fails_already_waits_less(
    change: tuple[str, str], seconds: float, check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []
    command = Worker.command

    def noted(worker: Worker, kind: str, *args: Any, **fields: Any) -> None:
        told.extend([fields["seconds"]] if kind == "compile" else [])
        command(worker, kind, *args, **fields)

    monkeypatch.setattr(Worker, "command", noted)
    assert change[0] in square_source
    check_source(square_source.replace(*change))
    assert told == [seconds]
