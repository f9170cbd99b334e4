"""The small parts of a measurement: kept results, baselines that are not there, what `nvidia-smi` tells."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.bench.fakes import MadeUpStopwatch
from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.measure import TimedCall, time_baselines
from tritonpuzzles.judge import environment as gpu
from tritonpuzzles.wire.job import JobHost

CPU = torch.device("cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("form", ["whole", "row", "broadcast"])
def test_no_old_answer_is_right(dtype: torch.dtype, form: str) -> None:
    memory = torch.ones(4, 8, dtype=dtype)
    views = {"whole": memory, "row": memory[1], "broadcast": memory[:1].expand(6, 8)}
    call = TimedCall(host(lambda x: views[form]), {"x": memory})
    call()
    assert call.returned is views[form]
    call.spoil()
    assert call.returned is None
    assert bool(torch.isnan(views[form]).all())


def test_what_is_no_tensor_is_left_alone() -> None:
    call = TimedCall(host(lambda x: ("a", None)), {"x": torch.ones(1)})
    call()
    call.spoil()
    assert call.returned is None


def host(function: Callable[[torch.Tensor], Any]) -> HostCall:
    return HostCall(function, JobHost("f", ("x",), ("y",)), {}, Path("x.py"))


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
