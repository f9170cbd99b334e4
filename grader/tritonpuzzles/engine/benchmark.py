"""Time a submission's host function beside its baselines and a copy, in one process."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.timing import Stopwatch
from tritonpuzzles.results import Timing


def measure(host: Callable[..., Any], inputs: Sequence[Tensor], baselines: Mapping[str, str]) -> dict[str, Any]:
    """Time a host function on the GPU.

    Args:
        host: already known to be right on these inputs.
        inputs: on one CUDA device.
        baselines: name -> "module:function", called with the same inputs.

    Returns:
        `kernel` and `baselines` as timings in milliseconds, `copy_gb_per_s` as the mean of before and after,
        `copy_drift` as their ratio, the `device` by name, and in `returned` what a last call gave.
    """
    device = inputs[0].device
    stopwatch = Stopwatch(device)
    before = stopwatch.copy_gb_per_s()
    kernel = stopwatch.time(lambda: host(*inputs))
    returned = host(*inputs)
    timed: dict[str, Timing] = {}
    for name, dotted in baselines.items():
        function = _resolve(dotted)
        timed[name] = stopwatch.time(lambda function=function: function(*inputs))  # type: ignore[misc]
    after = stopwatch.copy_gb_per_s()
    return {
        "kernel": kernel,
        "baselines": timed,
        "copy_gb_per_s": (before + after) / 2,
        "copy_drift": after / before,
        "device": torch.cuda.get_device_name(device),
        "returned": returned,
    }


def _resolve(dotted: str) -> Callable[..., Any]:
    module, _, name = dotted.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
