"""A worker that times without a GPU: the real session in this process, on the CPU, with a clock that is made up."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.measure import BenchSession
from tritonpuzzles.engine.stopwatch import nothing
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError
from tritonpuzzles.results.speed import Timing
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.frames import Frame, FrameReader
from tritonpuzzles.wire.job import BenchJob

COPY_GB_PER_S = 4000.0
MATMUL_TFLOP_PER_S = 700.0


class MadeUpStopwatch:
    """Calls what it is to time, under the interpreter, and makes the times up.

    Args:
        device: not used.
        milliseconds: of each call that is timed, one after the other; the last one again and again.
    """

    def __init__(self, device: torch.device, milliseconds: list[float]) -> None:
        self._milliseconds = milliseconds

    def time(self, call: Callable[[], Any], before_last: Callable[[], None] = nothing) -> Timing:
        with Tracer():
            call()
            before_last()
            call()
        ms = self._milliseconds.pop(0) if len(self._milliseconds) > 1 else self._milliseconds[0]
        return Timing(ms, 0.9 * ms, 1.1 * ms, 0.8 * ms, 50)

    def copy_gb_per_s(self, n_bytes: int | None = None) -> float:
        return COPY_GB_PER_S if n_bytes is None else COPY_GB_PER_S / 2

    def matmul_tflop_per_s(self, dtype: torch.dtype) -> float:
        return MATMUL_TFLOP_PER_S


class FakeWorker:
    """Looks like a `Worker` and answers at once; `forge` may change what is said."""

    def __init__(self, milliseconds: list[float], forge: Callable[[dict[str, Any]], Any] = lambda header: None) -> None:
        self._own = tempfile.TemporaryDirectory()  # removed with the worker
        self.output, self.folder = "", Path(self._own.name)
        self.killed = False
        self._milliseconds, self._forge = milliseconds, forge
        self._reader = FrameReader()
        self._frames = [Frame({"kind": "ready"})]
        self._said = b""
        self._session: BenchSession | None = None

    def accept(self, max_payload_bytes: int) -> None:
        self._reader.max_payload_bytes = max_payload_bytes

    def command(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        if self.killed:
            return
        told = json.loads(json.dumps(fields))
        if kind == "bench":
            job = COMMANDED.read(BenchJob, told["job"])
            self._session = BenchSession(
                job, self._send, "cpu", lambda device: MadeUpStopwatch(device, self._milliseconds)
            )
        else:
            assert self._session is not None
            self._session.obey(Frame({"kind": kind, **told}, payload))
        self._send("done")

    def receive(self, seconds: float) -> Frame:
        said, self._said = self._said, b""
        self._frames += self._reader.feed(said)  # here, as in a worker, it shows what is not a frame
        if self.killed or not self._frames:
            raise WorkerEndedError(None)
        return self._frames.pop(0)

    def kill(self) -> int | None:
        self.killed = True
        return None

    def dismiss(self) -> None:
        """Wait for nothing, as ever."""

    def close(self) -> None:
        self.killed = True

    def _send(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        header = {"kind": kind, **fields}
        self._forge(header)
        line = json.dumps({**header, "size": len(payload)}).encode()
        self._said += line + b"\n" + payload


def start(milliseconds: list[float], **more: Any) -> Callable[..., Any]:
    """Return what starts workers: real ones for the CPU, fakes for the GPU."""

    def made(part: str, device: str, **asked: Any) -> Any:
        return Worker(part, device, **asked) if device == "cpu" else FakeWorker(list(milliseconds), **more)

    return made
