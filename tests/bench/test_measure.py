"""The small parts of a measurement: kept results, baselines that are not there, what `nvidia-smi` tells."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.bench.fakes import MadeUpStopwatch
from tritonpuzzles.engine.measure import TimedCall, time_baselines
from tritonpuzzles.engine.program import Call
from tritonpuzzles.judge import environment as gpu
from tritonpuzzles.wire.program import Allocate, Other, Program, View

CPU = torch.device("cpu")


SHAPE = {
    "whole": View(1, "{}", (4, 8), (8, 1)),
    "row": View(1, "{}", (8,), (1,), 8),
    "broadcast": View(1, "{}", (6, 8), (0, 1)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("form", SHAPE)
def test_no_old_answer_is_right(dtype: torch.dtype, form: str) -> None:
    name = str(dtype).removeprefix("torch.")
    call = timed(Program((Allocate(32 * dtype.itemsize, name),), (replace(SHAPE[form], dtype=name),)))
    call()
    call.spoil()
    (result,) = call.results
    assert isinstance(result, torch.Tensor)
    assert bool(torch.isnan(result).all())


def test_what_is_no_tensor_is_left_alone() -> None:
    call = timed(Program((), (Other("str"), Other("NoneType"))))
    call()
    call.spoil()
    assert call.results == [Other("str"), Other("NoneType")]


def timed(program: Program) -> TimedCall:
    return TimedCall(Call(program, [], (), ("x",), ("y",), (0,), Path("x.py")), {"x": torch.ones(1)})


def refuses(x: torch.Tensor) -> None:
    raise RuntimeError("No available kernel. Aborting execution.")


def test_a_baseline_that_does_not_run_here_is_left_out() -> None:
    watch: Any = MadeUpStopwatch(CPU, [2.0])
    names = {"softmax": "tritonpuzzles.curriculum.baselines:torch_softmax", "cuDNN": f"{__name__}:refuses"}
    timed = time_baselines(watch, [torch.ones(2, 3)], names, None)
    assert {name: found.median_ms for name, found in timed.items()} == {"softmax": 2.0}


@pytest.mark.parametrize(
    ("line", "state"),
    [
        (
            "580.159.04, 1980, 1980, 3201, 700.00\n",
            {"driver": "580.159.04", "sm_mhz": 1980, "sm_max_mhz": 1980, "memory_mhz": 3201, "power_limit_w": 700},
        ),
        ("535.1, [N/A], 2100, [N/A], [N/A]\n", {"driver": "535.1", "sm_max_mhz": 2100}),
        ("No devices were found\n", {}),
        ("", {}),
    ],
)
def test_driver_and_clocks(line: str, state: dict[str, Any]) -> None:
    assert gpu.read_state(line) == state


def test_without_nvidia_smi_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError("nvidia-smi")

    monkeypatch.setattr(gpu.subprocess, "run", missing)
    assert gpu.gpu_state("1234") == {}
    failed = subprocess.CompletedProcess((), 9, "580.159.04, 1980, 1980, 3201, 700.00\n", "")
    monkeypatch.setattr(gpu.subprocess, "run", lambda *_, **__: failed)
    assert gpu.gpu_state("1234") == {}
