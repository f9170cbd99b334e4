"""Time a recorded call beside its baselines and a copy, in one process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.launched import Ahead, Launched, Tuner, relaunch
from tritonpuzzles.engine.memory import ALL_ONES, Memory, whole_storage
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.replay import Action, Replay, run_all
from tritonpuzzles.engine.stopwatch import BRIEF, Stopwatch
from tritonpuzzles.results.speed import Timing
from tritonpuzzles.wire.authored import named
from tritonpuzzles.wire.job import JobBenchmark, JobHost, Value
from tritonpuzzles.wire.program import Other


class TimedCall:
    """Runs a recorded call again and again on the same memory.

    What is no work of the GPU is done once, by the first run: views, descriptors, compiling, an autotuner's choice. To
    do it again takes longer than a short kernel runs, and the clock would show that in place of the kernel.
    """

    def __init__(self, call: Call, inputs: Mapping[str, Tensor]) -> None:
        self._inputs = list(inputs.values())
        self._offsets = call.facts.offsets
        self._replay = Replay(call.facts.program, call.kernels, Tuner(Ahead()).choose)
        self._memory = self._fresh_memory()

    def __call__(self) -> None:
        """Run once."""
        run_all(self._actions)

    @cached_property
    def _actions(self) -> Sequence[Action]:
        self._replay.run(self._fresh_memory(), Launched())
        return self._replay.actions(self._memory, relaunch)

    def _fresh_memory(self) -> Memory:
        return Memory(self._inputs, self._offsets, partial(torch.empty, device=self._inputs[0].device))

    @property
    def results(self) -> Sequence[Tensor | Other]:
        """Of the last run."""
        return self._replay.results(self._memory)

    def spoil(self) -> None:
        """Leave NaN in all memory that the call allocates: what the next run does not write is wrong."""
        for tensor in self._memory.fresh:
            whole_storage(tensor).fill_(ALL_ONES)


def measure(
    call: Call, inputs: Mapping[str, Tensor], host: JobHost, values: Mapping[str, Value], spec: JobBenchmark
) -> dict[str, Any]:
    """Time a recorded call on the GPU, already known to be right on these inputs, and what `spec` has beside it.

    Returns:
        `kernel` and `baselines` as timings in milliseconds (a baseline that this GPU does not have is left out),
        `copy_gb_per_s` as the mean of before and after, `copy_drift` as their ratio, `matmul_tflop_per_s` if asked
        for, the `device` by name, and in `results` what the last timed call gave.
    """
    first = next(iter(inputs.values()))
    device = first.device
    stopwatch = Stopwatch(device, pace=BRIEF)
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
