"""Run one job in the worker: import the submission, call it on every case, compile its kernels, time it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from tritonpuzzles.engine.call import HostCall
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.observation import Observation, Runner
from tritonpuzzles.engine.submission import SubmissionError, load_host
from tritonpuzzles.engine.tensors import returned_tensors, whole_storage
from tritonpuzzles.results.check import plain
from tritonpuzzles.wire.job import STORAGES_FILE, Job, JobCase, JobInput, read_job

Send = Callable[..., None]


def runner_for(device: str) -> Runner:
    """Return the runner of a device; importing it is left until it is needed."""
    if device == "cuda":
        from tritonpuzzles.engine.cuda import CudaRunner

        return CudaRunner()
    from tritonpuzzles.engine.cpu import CpuRunner

    return CpuRunner()


class Session:
    """One submission in this process.

    Args:
        folder: where the judge has written the job.
        send: writes a frame: `send(kind, payload, **fields)`.
    """

    def __init__(self, folder: Path, send: Send) -> None:
        self._job: Job = read_job(folder)
        self._path = Path(self._job.file)
        self._storages = load_file(folder / STORAGES_FILE)
        self._send = send
        self._runner = runner_for(self._job.device)
        self._function: Callable[..., Any] | None = None
        self._kept: dict[int, dict[str, Tensor]] = {}  # inputs whose memory a later case is put into

    def run(self) -> None:
        """Import the submission, then run every case; each tells what it saw as soon as it is done."""
        self._send("stage", stage="import")
        try:
            self._function = load_host(self._path, self._job.host.name)
        except SubmissionError as error:
            self._send("failed", finding=plain(error.finding))
            return
        for index, case in enumerate(self._job.cases):
            self._send("stage", stage="run", case=index)
            if not self._run_case(index, case):
                return
        self._send("stage", stage="compile")
        for outcome in self._runner.compile(self._job, self._path):
            self._send("compiled", **outcome)

    def _run_case(self, index: int, case: JobCase) -> bool:
        """Run one case and send it; return whether the next one can be run in this process."""
        started = time.perf_counter()
        try:
            observation = self._runner.run(self._call(case), self._arguments(index, case), self._path)
            outputs = returned_tensors(observation.returned)
            described = [describe_output(output, case.max_output_bytes) for output in outputs]
        except BaseException as error:
            finding, lost = run_failure(error, self._path, self._job.host.call)
            self._send("case_failed", case=index, finding=plain(finding), lost=lost)
            return not lost
        self._send(
            "case",
            b"".join(data for _, data in described),
            case=index,
            outputs=[header for header, _ in described],
            seconds=time.perf_counter() - started,
            **observed(observation),
        )
        return True

    def _call(self, case: JobCase) -> HostCall:
        assert self._function is not None
        return HostCall(self._function, self._job.host, case.values, self._path)

    def _arguments(self, index: int, case: JobCase) -> dict[str, Tensor]:
        """Return the arguments of a case: fresh, or in the memory of an earlier case with other numbers in it."""
        inputs = self.inputs(case)
        if case.after is not None and case.after in self._kept:
            for name, tensor in self._kept[case.after].items():
                whole_storage(tensor).copy_(whole_storage(inputs[name]))
            return self._kept[case.after]
        if any(later.after == index for later in self._job.cases):
            self._kept[index] = inputs
        return inputs

    def inputs(self, case: JobCase) -> dict[str, Tensor]:
        """Return fresh arguments of a case: its own copies of the storages, on the job's device."""
        return {item.name: self._input(item) for item in case.inputs}

    def _input(self, item: JobInput) -> Tensor:
        storage, stride = self._storages[item.key], item.stride
        if item.row_stride is not None:
            storage, stride = spread(storage.view(item.shape), item.row_stride, self._runner.device)
        placed = self._runner.place(storage)
        tensor = placed.as_strided(item.shape, stride, placed.storage_offset() + item.offset)
        return tensor.requires_grad_() if item.requires_grad else tensor

    def benchmark(self) -> None:
        """Time the host function and its baselines on the GPU."""
        from tritonpuzzles.engine.measure import measure

        assert self._job.benchmark is not None
        self._send("stage", stage="benchmark")
        case = self._job.cases[self._job.benchmark.case]
        try:
            spec = self._job.benchmark
            measured = measure(self._call(case), self.inputs(case), spec)
            outputs = returned_tensors(measured.pop("returned"))
            described = [describe_output(output, case.max_output_bytes) for output in outputs]
        except BaseException as error:
            finding, lost = run_failure(error, self._path, self._job.host.call)
            self._send("case_failed", case=self._job.benchmark.case, finding=plain(finding), lost=lost)
            return
        headers, data = [header for header, _ in described], b"".join(data for _, data in described)
        self._send("benchmark", data, measured=plain(measured), outputs=headers)

    def picture(self, index: int) -> None:
        """Run one case again, on the CPU, and send every access to memory."""
        from tritonpuzzles.engine.accesses import accesses

        self._send("stage", stage="picture", case=index)
        try:
            case = self._job.cases[index]
            launches, lanes = accesses(self._call(case), self.inputs(case), self._path)
        except BaseException as error:
            finding, lost = run_failure(error, self._path, self._job.host.call)
            self._send("case_failed", case=index, finding=plain(finding), lost=lost)
            return
        self._send("picture", lanes, launches=launches)


def spread(rows: Tensor, row_stride: int, device: str) -> tuple[Tensor, tuple[int, int]]:
    """Return the storage and the strides of a matrix whose rows lie `row_stride` elements apart, with NaN between.

    Args:
        rows: (n_rows, n_cols), at least one row.
        row_stride: in elements, at least n_cols.
        device: where the storage lies.
    """
    n_rows, n_cols = rows.shape
    storage = torch.full(((n_rows - 1) * row_stride + n_cols,), torch.nan, dtype=rows.dtype, device=device)
    storage.as_strided((n_rows, n_cols), (row_stride, 1)).copy_(rows)
    return storage, (row_stride, 1)


def observed(observation: Observation) -> dict[str, Any]:
    """Return an observation as fields of a frame."""
    return {
        "findings": plain(observation.findings),
        "traffic": plain(observation.traffic),
        "lines": plain(observation.lines),
        "launches": plain(observation.launches),
        "stored": observation.stored,
        "scratch": observation.scratch,
        "scratch_bytes": observation.scratch_bytes,
        "operations": plain(observation.operations),
    }


def describe_output(output: Any, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """Return an output's description and its bytes, row by row; no bytes for what no judge would accept."""
    header: dict[str, Any] = {"type": type(output).__name__}
    if not isinstance(output, Tensor):
        return {**header, "nbytes": 0}, b""
    header |= {
        "shape": list(output.shape),
        "dtype": str(output.dtype).removeprefix("torch."),
        "device": str(output.device),
    }
    nbytes = output.numel() * output.element_size()
    if type(output) is not Tensor or output.is_sparse or nbytes > max_bytes:
        return {**header, "nbytes": 0}, b""
    data = output.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return {**header, "nbytes": len(data)}, data
