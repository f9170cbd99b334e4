"""Time a recorded call beside its baselines and a copy, in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.launched import Launched, Tuner
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.replay import Replay
from tritonpuzzles.engine.stopwatch import Stopwatch
from tritonpuzzles.engine.tensors import tensors_of, whole_storage
from tritonpuzzles.results.check import Timing
from tritonpuzzles.wire.job import JobBenchmark, JobHost, Value
from tritonpuzzles.wire.names import named
from tritonpuzzles.wire.program import Other

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype


class TimedCall:
    """Runs a recorded call and keeps what came of it last, so that a timed output can be looked at.

    Attributes:
        results: of the last run.
    """

    def __init__(self, call: Call, inputs: Mapping[str, Tensor]) -> None:
        self._inputs = list(inputs.values())
        self._device = self._inputs[0].device
        self._offsets = call.facts.offsets
        self._replay = Replay(call.facts.program, call.kernels, Tuner().choose)
        self.results: Sequence[Tensor | Other] = ()

    def __call__(self) -> None:
        """Run once; the memory of the last result is free for the next."""
        self.results = ()
        memory = Memory(self._inputs, self._offsets, self._reserve)
        self.results = self._replay.run(memory, Launched())

    def _reserve(self, elements: int, dtype: torch.dtype) -> Tensor:
        return torch.empty(elements, dtype=dtype, device=self._device)

    def spoil(self) -> None:
        """Leave NaN in the memory of the last result, which the next call is likely to get: no old answer is right."""
        for tensor in tensors_of(self.results):
            whole_storage(tensor).fill_(ALL_ONES)
        self.results = ()


def measure(
    call: Call, inputs: Mapping[str, Tensor], host: JobHost, values: Mapping[str, Value], spec: JobBenchmark
) -> dict[str, Any]:
    """Time a recorded call on the GPU.

    Args:
        call: already known to be right on these inputs.
        inputs: its tensors by name, on one CUDA device.
        host: what was called.
        values: its arguments that are no tensors.
        spec: what stands beside it.

    Returns:
        `kernel` and `baselines` as timings in milliseconds (a baseline that this GPU does not have is left out),
        `copy_gb_per_s` as the mean of before and after, `copy_drift` as their ratio, `matmul_tflop_per_s` if asked
        for, the `device` by name, and in `results` what the last timed call gave.
    """
    first = next(iter(inputs.values()))
    device = first.device
    stopwatch = Stopwatch(device)
    before = stopwatch.copy_gb_per_s()
    timed_call = TimedCall(call, inputs)
    kernel = stopwatch.time(timed_call, timed_call.spoil)
    timed = time_baselines(stopwatch, plain_arguments(host, inputs, values), spec.baselines, spec.folder)
    after = stopwatch.copy_gb_per_s()
    return {
        "kernel": kernel,
        "baselines": timed,
        "copy_gb_per_s": (before + after) / 2,
        "copy_drift": after / before,
        "matmul_tflop_per_s": stopwatch.matmul_tflop_per_s(first.dtype) if spec.arithmetic else None,
        "device": torch.cuda.get_device_name(device),
        "results": timed_call.results,
    }


def plain_arguments(host: JobHost, inputs: Mapping[str, Tensor], values: Mapping[str, Value]) -> list[Any]:
    """Return what a baseline is called with: the arguments, and the gradients of a backward call, in order."""
    everything: dict[str, Any] = {**values, **inputs}
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
