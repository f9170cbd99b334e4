"""Time a submission's host function beside its baselines and a copy, in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.stopwatch import Stopwatch
from tritonpuzzles.engine.tensors import plain_tensors, returned_tensors, whole_storage
from tritonpuzzles.results.check import Timing
from tritonpuzzles.wire.job import JobBenchmark, JobHost, Value
from tritonpuzzles.wire.names import named

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype


class TimedCall:
    """Calls a host function and keeps what it returned last, so that a timed output can be looked at.

    Attributes:
        returned: by the last call.
    """

    def __init__(self, host: HostCall, inputs: Mapping[str, Tensor]) -> None:
        self._host, self._inputs = host, inputs
        self.returned: Any = None

    def __call__(self) -> None:
        """Call once; the memory of the last result is free for the next."""
        self.returned = None
        self.returned = self._host(self._inputs)

    def spoil(self) -> None:
        """Leave NaN in the memory of the last result, which the next call is likely to get: no old answer is right."""
        for tensor in plain_tensors(returned_tensors(self.returned)):
            whole_storage(tensor).fill_(ALL_ONES)
        self.returned = None


def measure(host: HostCall, inputs: Mapping[str, Tensor], spec: JobBenchmark) -> dict[str, Any]:
    """Time a host function on the GPU.

    Args:
        host: already known to be right on these inputs.
        inputs: its tensors by name, on one CUDA device.
        spec: what stands beside it.

    Returns:
        `kernel` and `baselines` as timings in milliseconds (a baseline that this GPU does not have is left out),
        `copy_gb_per_s` as the mean of before and after, `copy_drift` as their ratio, `matmul_tflop_per_s` if asked
        for, the `device` by name, and in `returned` what the last timed call gave.
    """
    first = next(iter(inputs.values()))
    device = first.device
    stopwatch = Stopwatch(device)
    before = stopwatch.copy_gb_per_s()
    call = TimedCall(host, inputs)
    kernel = stopwatch.time(call, call.spoil)
    timed = time_baselines(stopwatch, arguments_of(host, inputs), spec.baselines, spec.folder)
    after = stopwatch.copy_gb_per_s()
    return {
        "kernel": kernel,
        "baselines": timed,
        "copy_gb_per_s": (before + after) / 2,
        "copy_drift": after / before,
        "matmul_tflop_per_s": stopwatch.matmul_tflop_per_s(first.dtype) if spec.arithmetic else None,
        "device": torch.cuda.get_device_name(device),
        "returned": call.returned,
    }


def arguments_of(host: HostCall, inputs: Mapping[str, Tensor]) -> list[Any]:
    """Return what a baseline is called with: the host function's arguments, and the gradients of a backward call."""
    return plain_arguments(host.host, inputs, host.values)


def plain_arguments(host: JobHost, inputs: Mapping[str, Tensor], values: Mapping[str, Value]) -> list[Any]:
    """Return arguments and gradients in order; autograd follows none of them."""
    everything: dict[str, Any] = {**values, **{name: tensor.detach() for name, tensor in inputs.items()}}
    return [everything[name] for name in (*host.arguments, *host.gradients)]


def time_baselines(
    stopwatch: Stopwatch, arguments: Sequence[Any], baselines: Mapping[str, str], folder: str | None
) -> dict[str, Timing]:
    """Time the baselines that run here: not every GPU has cuDNN's attention, or room for naive attention."""
    timed: dict[str, Timing] = {}
    for name, dotted in baselines.items():
        function = named(dotted, folder)
        try:
            timed[name] = stopwatch.time(lambda function=function: function(*arguments))  # type: ignore[misc]
        except RuntimeError:  # "no available kernel", out of memory
            continue
    return timed
