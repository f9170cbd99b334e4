"""Time on the GPU: a recorded call with its baselines and a copy; or a bench, one file over several sizes.

The judge controls a bench: `load`, then for each size `time` and `rows`, then `end`. While it checks rows, nothing is
timed here. PyTorch and a copy are timed in a process that loads no submission. Inputs are drawn here, on the GPU. The
judge checks the output of the last timed call; before this call the inputs get new values and the call's memory is
filled with NaN, so that neither a cached answer nor one left in memory is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.cpu import runner_for
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.launched import Ahead, Launched, Tuner, relaunch
from tritonpuzzles.engine.memory import ALL_ONES, Memory, send_rows, whole_storage
from tritonpuzzles.engine.observation import describe_output
from tritonpuzzles.engine.program import Call
from tritonpuzzles.engine.reading import Kernels
from tritonpuzzles.engine.replay import Action, Replay, run_all
from tritonpuzzles.engine.stopwatch import BRIEF, Stopwatch
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.speed import Timing
from tritonpuzzles.wire.authored import named
from tritonpuzzles.wire.drawing import drawn_on, dtype_of
from tritonpuzzles.wire.frames import Frame, Send
from tritonpuzzles.wire.job import BenchJob, JobBenchmark, JobHost, Value
from tritonpuzzles.wire.program import Other
from tritonpuzzles.wire.reading import fact_told, facts_told


class TimedCall:
    """Runs a recorded call repeatedly on the same memory.

    Host work is done once, by the first run: views, descriptors, compiling, an autotuner's choice. It takes longer than
    a short kernel, and would otherwise dominate the timing.
    """

    def __init__(self, call: Call, inputs: Mapping[str, Tensor]) -> None:
        self._inputs = list(inputs.values())
        self._offsets = call.offsets
        self._replay = Replay(call.program, call.kernels, Tuner(Ahead()).choose)
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
        """Fill all memory that the call allocates with NaN: elements that the next run does not write are wrong."""
        for tensor in self._memory.fresh:
            whole_storage(tensor).fill_(ALL_ONES)


def measure(
    call: Call, inputs: Mapping[str, Tensor], host: JobHost, values: Mapping[str, Value], spec: JobBenchmark
) -> dict[str, Any]:
    """Time a recorded call on the GPU, already known to be right on these inputs, and the baselines of `spec`.

    Returns the timing of the `kernel` in milliseconds, the `device` by name, and the `results` of the last timed call;
    if yardsticks are requested, also `baselines` as timings (one that this GPU does not have is left out),
    `copy_gb_per_s` as the mean of before and after, and `matmul_tflop_per_s`.
    """
    first = next(iter(inputs.values()))
    device = first.device
    stopwatch = Stopwatch(device, pace=BRIEF)
    before = stopwatch.copy_gb_per_s() if spec.yardsticks else None
    timed_call = TimedCall(call, inputs)
    kernel = stopwatch.time(timed_call, timed_call.spoil)
    measured: dict[str, Any] = {
        "kernel": kernel,
        "device": torch.cuda.get_device_name(device),
        "results": timed_call.results,
    }
    if before is not None:
        arguments = plain_arguments(host, inputs, values)
        measured["baselines"] = time_baselines(stopwatch, arguments, spec.baselines, spec.folder)
        measured["copy_gb_per_s"] = (before + stopwatch.copy_gb_per_s()) / 2
        measured["matmul_tflop_per_s"] = stopwatch.matmul_tflop_per_s(first.dtype) if spec.arithmetic else None
    return measured


def plain_arguments(host: JobHost, inputs: Mapping[str, Tensor], values: Mapping[str, Value]) -> list[Any]:
    """Return the arguments for a baseline: those of the call, then the gradients of a backward call, in order."""
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


class BenchSession:
    """One bench in this process; `stopwatch` makes that of the device that is timed."""

    def __init__(
        self,
        job: BenchJob,
        send: Send,
        device: str = "cuda",
        stopwatch: Callable[[torch.device], Stopwatch] = Stopwatch,
    ) -> None:
        self._job = job
        self._send = send
        self._device = torch.device(device)
        self._stopwatch = stopwatch(self._device)
        self._kernels = Kernels()
        self._outputs: Sequence[Tensor | Other] = ()

    @property
    def _path(self) -> Path:
        assert self._job.file is not None
        return Path(self._job.file)

    def obey(self, frame: Frame) -> None:
        """Execute a request of the judge; an exception is sent to the judge, not raised."""
        try:
            match frame.kind:
                case "load":
                    self._load()
                case "time":
                    self._time(frame)
                case "rows":
                    self._rows(frame.header["rows"])
                case "end":
                    self._send("copy", gb_per_s=self._stopwatch.copy_gb_per_s())
        except BaseException as error:
            if self._job.file is None:
                self._send("fault", text=f"{type(error).__name__}: {error}"[:500])
                return
            fact, lost = run_failure(error, self._path)
            self._send("failed", fact=fact_told(fact), lost=lost)

    def _load(self) -> None:
        copy = self._stopwatch.copy_gb_per_s()
        matmul = self._stopwatch.matmul_tflop_per_s(dtype_of(self._job.dtype)) if self._job.arithmetic else None
        self._send("copy", gb_per_s=copy, matmul_tflop_per_s=matmul)

    def _draw(self, index: int, seed: int) -> dict[str, Tensor]:
        return drawn_on(self._device, self._job.drawing(index, seed))

    def _time(self, frame: Frame) -> None:
        index = frame.header["point"]
        point = self._job.points[index]
        self._outputs = ()
        inputs = self._draw(index, point.seed)
        if self._job.file is None:
            copy = self._stopwatch.copy_gb_per_s(point.copy_bytes) if point.copy_bytes else None
            arguments = plain_arguments(self._job.host, inputs, self._job.values)
            timed = time_baselines(self._stopwatch, arguments, self._job.baselines, self._job.folder)
            self._send("baselines", copy_gb_per_s=copy, timings=plain(timed))
        else:
            case, texts = self._job.case(index), frame.header["texts"]
            call = self._kernels.call(case, self._job.host, self._path, frame.payload, texts)
            self._time_call(call, inputs, lambda: self._draw(index, point.check_seed))
        del inputs
        if self._device.type == "cuda":
            torch.cuda.empty_cache()  # the judge draws on the same GPU

    def _time_call(self, call: Call, inputs: dict[str, Tensor], others: Callable[[], dict[str, Tensor]]) -> None:
        runner = runner_for(self._device.type)
        placed = {name: runner.place(tensor.reshape(-1)).view(tensor.shape) for name, tensor in inputs.items()}
        facts = runner.run(call, placed).facts  # as in a check: no launch, stray stores, races
        timed = TimedCall(call, inputs)

        def renew() -> None:
            for name, other in others().items():
                inputs[name].copy_(other)
            timed.spoil()

        timing = self._stopwatch.time(timed, renew)
        self._outputs = timed.results
        described = [describe_output(output, 0)[0] for output in self._outputs]
        self._send("timed", timing=plain(timing), outputs=described, facts=facts_told(facts))

    def _rows(self, rows: list[int]) -> None:
        send_rows(self._send, self._outputs, rows)
        self._outputs = ()
