"""Time one file over sizes in the worker, or PyTorch and a copy in a worker that loads no file.

The judge leads: `load`, then for each size `time` and `rows`, then `end`. While it looks at rows nothing is timed here.
Inputs are drawn here, on the GPU. The output that the judge looks at is that of the last timed call; before it the
inputs got new numbers and the memory of the last output got NaN, so that neither a kept answer nor one that was left
in memory is right.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.measure import TimedCall, plain_arguments, time_baselines
from tritonpuzzles.engine.session import Send, runner_for
from tritonpuzzles.engine.stopwatch import Stopwatch
from tritonpuzzles.engine.submission import SubmissionError, load_host
from tritonpuzzles.engine.tensors import returned_tensors
from tritonpuzzles.results.check import Finding, plain
from tritonpuzzles.wire.bench_job import PointJob, read_bench_job
from tritonpuzzles.wire.drawing import draw_tensors


class BenchSession:
    """One bench in this process.

    Args:
        folder: where the judge has written the job.
        send: writes a frame: `send(kind, payload, **fields)`.
        device: what is timed.
        stopwatch: measures it.
    """

    def __init__(
        self, folder: Path, send: Send, device: str = "cuda", stopwatch: Callable[[torch.device], Stopwatch] = Stopwatch
    ) -> None:
        self._job = read_bench_job(folder)
        self._send = send
        self._device = torch.device(device)
        self._stopwatch = stopwatch(self._device)
        self._host: HostCall | None = None
        self._outputs: tuple[Any, ...] = ()

    @property
    def _path(self) -> Path:
        assert self._job.file is not None
        return Path(self._job.file)

    def obey(self, command: dict[str, Any]) -> None:
        """Do what the judge asks for; what goes wrong in the submission is told, not raised."""
        try:
            match command["command"]:
                case "load":
                    self._load()
                case "time":
                    self._time(self._job.points[command["point"]])
                case "rows":
                    self._rows(command["rows"])
                case "end":
                    self._send("copy", gb_per_s=self._stopwatch.copy_gb_per_s())
        except SubmissionError as error:
            self._send("failed", finding=plain(error.finding), lost=True)
        except BaseException as error:
            if self._job.file is None:
                self._send("fault", text=f"{type(error).__name__}: {error}"[:500])
                return
            finding, lost = run_failure(error, self._path, self._job.host.call)
            self._send("failed", finding=plain(finding), lost=lost)

    def _load(self) -> None:
        if self._job.file is not None:
            function = load_host(self._path, self._job.host.name)
            self._host = HostCall(function, self._job.host, self._job.values, self._path)
        copy = self._stopwatch.copy_gb_per_s()
        matmul = self._stopwatch.matmul_tflop_per_s(self._dtype) if self._job.arithmetic else None
        self._send("copy", gb_per_s=copy, matmul_tflop_per_s=matmul)

    @property
    def _dtype(self) -> torch.dtype:
        dtype = getattr(torch, self._job.dtype)
        assert isinstance(dtype, torch.dtype)
        return dtype

    def _draw(self, point: PointJob, seed: int) -> dict[str, Tensor]:
        generator = torch.Generator(self._device).manual_seed(seed)
        drawn = draw_tensors(self._job.family, point.tensors, point.shape, generator, self._job.folder)
        named = dict(zip((spec.name for spec in point.tensors), drawn, strict=True))
        return {n: tensor.requires_grad_(n in self._job.requires_grad) for n, tensor in named.items()}

    def _time(self, point: PointJob) -> None:
        self._outputs = ()
        inputs = self._draw(point, point.seed)
        if self._host is None:
            copy = self._stopwatch.copy_gb_per_s(point.copy_bytes) if point.copy_bytes else None
            arguments = plain_arguments(self._job.host, inputs, self._job.values)
            timed = time_baselines(self._stopwatch, arguments, self._job.baselines, self._job.folder)
            self._send("baselines", copy_gb_per_s=copy, timings=plain(timed))
        else:
            self._time_host(self._host, inputs, point)
        del inputs
        if self._device.type == "cuda":
            torch.cuda.empty_cache()  # the judge draws on the same GPU

    def _time_host(self, host: HostCall, inputs: dict[str, Tensor], point: PointJob) -> None:
        findings = self._watched(host, inputs)
        call = TimedCall(host, inputs)

        def renew() -> None:
            for name, other in self._draw(point, point.check_seed).items():
                inputs[name].data.copy_(other.data)
            call.spoil()

        timing = self._stopwatch.time(call, renew)
        self._outputs = returned_tensors(call.returned)
        described = [describe(output) for output in self._outputs]
        self._send("timed", timing=plain(timing), outputs=described, findings=plain(findings))

    def _watched(self, host: HostCall, inputs: dict[str, Tensor]) -> list[Finding]:
        """Return what a check would find in a call: torch doing the work, no launch, foreign memory, stray stores."""
        runner = runner_for(self._device.type)
        placed = {
            name: runner.place(tensor.detach().reshape(-1)).view(tensor.shape).requires_grad_(tensor.requires_grad)
            for name, tensor in inputs.items()
        }
        return runner.run(host, placed, self._path).findings

    def _rows(self, rows: list[int]) -> None:
        wanted = torch.tensor(rows, dtype=torch.int64, device=self._device)
        chosen = [output.detach().index_select(0, wanted).cpu().contiguous() for output in self._outputs]
        data = [tensor.reshape(-1).view(torch.uint8).numpy().tobytes() for tensor in chosen]
        self._outputs = ()
        self._send("rows", b"".join(data), sizes=[len(piece) for piece in data])


def describe(output: Any) -> dict[str, Any]:
    """Return an output's type and form."""
    if not isinstance(output, Tensor):
        return {"type": type(output).__name__}
    dtype = str(output.dtype).removeprefix("torch.")
    return {"type": type(output).__name__, "shape": list(output.shape), "dtype": dtype, "device": str(output.device)}
