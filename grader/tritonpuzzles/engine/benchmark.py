"""Time a submission's host function beside its baselines and a copy, in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.drawing import named
from tritonpuzzles.engine.observation import plain_tensors, returned_tensors, whole_storage
from tritonpuzzles.engine.timing import Stopwatch
from tritonpuzzles.results import Timing

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype


class TimedCall:
    """Calls a host function and keeps what it returned last, so that a timed output can be looked at.

    Attributes:
        returned: by the last call.
    """

    def __init__(self, host: Callable[..., Any], inputs: Sequence[Tensor]) -> None:
        self._host, self._inputs = host, inputs
        self.returned: Any = None

    def __call__(self) -> None:
        """Call once; the memory of the last result is free for the next."""
        self.returned = None
        self.returned = self._host(*self._inputs)

    def spoil(self) -> None:
        """Leave NaN in the memory of the last result, which the next call is likely to get: no old answer is right."""
        for tensor in plain_tensors(returned_tensors(self.returned)):
            whole_storage(tensor).fill_(ALL_ONES)
        self.returned = None


def measure(
    host: Callable[..., Any], inputs: Sequence[Tensor], baselines: Mapping[str, str], arithmetic: bool = False
) -> dict[str, Any]:
    """Time a host function on the GPU.

    Args:
        host: already known to be right on these inputs.
        inputs: on one CUDA device.
        baselines: name -> "module:function", called with the same inputs.
        arithmetic: also time a large matrix product.

    Returns:
        `kernel` and `baselines` as timings in milliseconds (a baseline that this GPU does not have is left out),
        `copy_gb_per_s` as the mean of before and after, `copy_drift` as their ratio, `matmul_tflop_per_s` if asked
        for, the `device` by name, and in `returned` what the last timed call gave.
    """
    device = inputs[0].device
    stopwatch = Stopwatch(device)
    before = stopwatch.copy_gb_per_s()
    call = TimedCall(host, inputs)
    kernel = stopwatch.time(call, call.spoil)
    timed = time_baselines(stopwatch, inputs, baselines)
    after = stopwatch.copy_gb_per_s()
    return {
        "kernel": kernel,
        "baselines": timed,
        "copy_gb_per_s": (before + after) / 2,
        "copy_drift": after / before,
        "matmul_tflop_per_s": stopwatch.matmul_tflop_per_s(inputs[0].dtype) if arithmetic else None,
        "device": torch.cuda.get_device_name(device),
        "returned": call.returned,
    }


def time_baselines(stopwatch: Stopwatch, inputs: Sequence[Tensor], baselines: Mapping[str, str]) -> dict[str, Timing]:
    """Time the baselines that run here: not every GPU has cuDNN's attention, or room for naive attention."""
    timed: dict[str, Timing] = {}
    for name, dotted in baselines.items():
        function = named(dotted)
        try:
            timed[name] = stopwatch.time(lambda function=function: function(*inputs))  # type: ignore[misc]
        except RuntimeError:  # "no available kernel", out of memory
            continue
    return timed
