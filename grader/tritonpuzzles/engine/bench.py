"""Time one file over sizes in the worker, or PyTorch and a copy in a worker that loads no file.

The judge leads: `load`, then for each size `time` and `rows`, then `end`. While it looks at rows nothing is timed here.
Inputs are drawn here, on the GPU. The output that the judge looks at is that of the last timed call; before it the
inputs got new numbers and the memory of the last output got NaN, so that neither a kept answer nor one that was left
in memory is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.measure import TimedCall, plain_arguments, time_baselines
from tritonpuzzles.engine.memory import send_rows
from tritonpuzzles.engine.observation import Call, describe_output
from tritonpuzzles.engine.reading import Kernels
from tritonpuzzles.engine.session import runner_for
from tritonpuzzles.engine.stopwatch import Stopwatch
from tritonpuzzles.results.check import plain
from tritonpuzzles.wire.drawing import drawn_on, dtype_of
from tritonpuzzles.wire.frames import Frame, Send
from tritonpuzzles.wire.job import BenchJob
from tritonpuzzles.wire.program import Other
from tritonpuzzles.wire.reading import fact_told, facts_told


class BenchSession:
    """One bench in this process.

    Args:
        job: what the judge says of it.
        send: writes a frame: `send(kind, payload, **fields)`.
        device: what is timed.
        stopwatch: measures it.
    """

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
        """Do what the judge asks for; what goes wrong in the submission is told, not raised."""
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
        facts = runner.run(call, placed).facts  # what a check would find: no launch, stray stores, races
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
