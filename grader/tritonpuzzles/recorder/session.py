"""Record one submission: import it, call its host function on every case without a number, tell what it did."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from tritonpuzzles.recorder.call import HostCall, returned_tensors
from tritonpuzzles.recorder.device import present
from tritonpuzzles.recorder.failures import call_failure
from tritonpuzzles.recorder.kernels import KernelTable
from tritonpuzzles.recorder.launches import Launches
from tritonpuzzles.recorder.modes import recorded
from tritonpuzzles.recorder.operators import unwrapped
from tritonpuzzles.recorder.recording import Recording
from tritonpuzzles.recorder.submission import SubmissionError, load_host
from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.results.check import Finding, plain
from tritonpuzzles.wire.frames import Send
from tritonpuzzles.wire.job import Device, JobCase, JobHost
from tritonpuzzles.wire.program import ITEM_SIZES


class Session:
    """One submission in this process.

    Args:
        file: the submission.
        host: what is called, and how.
        device: the GPU that it finds if it asks for one.
        send: writes a frame: `send(kind, payload, **fields)`.
    """

    def __init__(self, file: str, host: JobHost, device: Device, send: Send) -> None:
        self._path, self._host, self._device, self._send = Path(file), host, device, send
        self._functions: dict[Device, Callable[..., Any]] = {}
        self._left_out: list[Finding] = []
        self._kernels = KernelTable()
        self._known: dict[int, Mapping[str, Recorded]] = {}

    def load(self) -> bool:
        """Import the submission; return whether it can be called."""
        self._send("stage", stage="import")
        try:
            self._on(self._device)
        except SubmissionError as error:
            self._send("failed", finding=plain(error.finding))
            return False
        for finding in self._left_out:
            self._send("left_out", finding=plain(finding))
        return True

    def _on(self, gpu: Device) -> Callable[..., Any]:
        """Return the host function of a machine with this GPU: the file is imported once for each.

        Raises:
            SubmissionError: if that fails.
        """
        if gpu not in self._functions:
            with present(gpu), unwrapped():
                self._functions[gpu], self._left_out = load_host(self._path, self._host.name)
        return self._functions[gpu]

    def record(self, index: int, call: JobCase) -> None:
        """Call the host function on the tensors of one case and tell what it did."""
        self._send("stage", stage="run", case=index)
        recording = Recording(str(self._path), self._host.call, self._kernels, self._host.goes_back(call))
        gpu = call.gpu or self._device
        try:
            host = HostCall(self._on(gpu), self._host, call, self._path)
            tensors = self._tensors(index, recording, call)
            with present(gpu), unwrapped(), Launches(recording, gpu).active(), recorded(recording):
                returned = host(tensors)
                program = recording.program(returned_tensors(returned))
            kernels = self._kernels.described()
            payload = json.dumps({"program": program.to_json(), "kernels": kernels}).encode()
        except BaseException as error:
            finding = call_failure(error, recording, self._path, self._host.call)
            self._send("case_failed", case=index, finding=plain(finding), lost=False)
            return
        told = {"findings": plain(recording.findings), "operations": plain(recording.operations)}
        files = sorted({str(kernel["file"]) for kernel in kernels})
        self._send("recorded", payload, case=index, files=files, **told)

    def _tensors(self, index: int, recording: Recording, call: JobCase) -> Mapping[str, Recorded]:
        """Return the tensors of a case: new ones, or those of an earlier case once more."""
        known = self._known.get(call.after) if call.after is not None else None
        if known is not None:
            tensors = {name: recording.again(tensor) for name, tensor in known.items()}
        else:
            tensors = _tensors(recording, call)
        self._known[index] = tensors
        return tensors


def _tensors(recording: Recording, call: JobCase) -> dict[str, Recorded]:
    """Return the tensors of a call: what the judge says of them, and no numbers."""
    found = {}
    for item in call.inputs:
        dtype = getattr(torch, item.dtype)
        elements = item.storage_bytes // ITEM_SIZES[item.dtype]
        storage = torch.empty(elements, dtype=dtype, device="meta")
        view = storage.as_strided(item.shape, item.stride, item.offset)
        found[item.name] = recording.input(view, item.requires_grad)
    return found
