"""A worker process from outside: start it, talk to it, bound what it says, kill all that it started.

Nothing that a worker says is believed as a verdict, and its exit code means nothing but how it ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tritonpuzzles.wire.frames import Frame, FrameReader, ProtocolError

MARK = "TRITONPUZZLES_WORKER"  # in the environment of a worker and of all that it starts
MAX_OUTPUT_BYTES = 64 << 10
CHUNK = 1 << 20
START_SECONDS = 180.0
POLL_SECONDS = 0.5
GRACE_SECONDS = 0.2  # between the end of a channel and the end of its process


class WorkerTimeoutError(Exception):
    """A stage took longer than it may."""


class WorkerEndedError(Exception):
    """The worker ended, or closed its channel, before it was asked to.

    Attributes:
        returncode: as `subprocess` gives it, negative for a signal; `None` if it only closed its channel.
    """

    def __init__(self, returncode: int | None) -> None:
        super().__init__(f"the worker ended with {returncode}")
        self.returncode = returncode


class WorkerBrokenError(RuntimeError):
    """The grader's own worker does not start: an installation fault, never a learner's."""


class Worker:
    """One worker in its own session, with pipes for commands, frames and what the learner prints.

    Starting returns at once: the worker imports torch and triton while the judge does the same.

    Args:
        device: "cpu" hides every GPU from it.
        cache: where Triton keeps compiled kernels; its own default place if `None`.

    Attributes:
        folder: its working directory, where jobs and a submission's stray files lie; removed by `close`.
    """

    def __init__(self, device: str, cache: Path | None = None) -> None:
        self._mark = uuid.uuid4().hex
        self._reader = FrameReader()
        self.folder = Path(tempfile.mkdtemp(prefix="tritonpuzzles-"))
        self._frames: list[Frame] = []
        self._output = bytearray()
        self.output_bytes = 0
        read_end, write_end = os.pipe()
        command = [sys.executable, "-m", "tritonpuzzles.engine.worker", str(write_end)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(write_end,),
                start_new_session=True,
                cwd=self.folder,
                env=_environment(device, self._mark, cache),
            )
        finally:
            os.close(write_end)
        self._channel = read_end
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None
        for descriptor in (read_end, self._process.stdout.fileno()):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)

    @property
    def output(self) -> str:
        """What the learner's code printed, at most `MAX_OUTPUT_BYTES` of it."""
        return self._output.decode("utf-8", "replace")

    def accept(self, max_payload_bytes: int) -> None:
        """Bound the frames that come from now on."""
        self._reader.max_payload_bytes = max_payload_bytes

    def command(self, **command: Any) -> None:
        """Send one command; a worker that is gone shows at the next `receive`."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> Frame:
        """Wait for the next frame.

        Raises:
            WorkerTimeoutError: if none came within `seconds`.
            WorkerEndedError: if none will come.
            ProtocolError: if what came is not a frame or too large.
        """
        deadline = time.monotonic() + seconds
        while not self._frames:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerTimeoutError
            self._pump(left)
        return self._frames.pop(0)

    def _pump(self, seconds: float) -> None:
        events = self._selector.select(min(seconds, POLL_SECONDS))
        if not events and self._process.poll() is not None:  # a grandchild may hold the channel open for ever
            raise WorkerEndedError(self.kill())
        for key, _ in events:
            data = _read(key.fd)
            if data is None:
                continue
            if key.fd != self._channel:
                self._keep_output(data, key.fd)
            elif data:
                self._frames += self._reader.feed(data)
            else:
                self._drain_output()
                raise WorkerEndedError(self.kill())

    def _keep_output(self, data: bytes, descriptor: int) -> None:
        if not data:
            self._selector.unregister(descriptor)
        self.output_bytes += len(data)
        self._output += data[: max(0, MAX_OUTPUT_BYTES - len(self._output))]

    def _drain_output(self) -> None:
        """Take what was printed before the end, without waiting for a grandchild that keeps the pipe open."""
        assert self._process.stdout is not None
        while data := _read(self._process.stdout.fileno()):
            self.output_bytes += len(data)
            self._output += data[: max(0, MAX_OUTPUT_BYTES - len(self._output))]
            if self.output_bytes > MAX_OUTPUT_BYTES:
                break

    def kill(self) -> int | None:
        """End the worker and every process that it started; return its exit code if it had ended by itself.

        Processes that left its session are found by the mark in their environment.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS)
        returncode = self._process.returncode
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for _ in range(20):
            strays = list(_marked(self._mark))
            if not strays:
                break
            for pid in strays:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        return returncode

    def close(self) -> None:
        """End the worker and give back its pipes; may be called twice."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # it ends by itself, at once, if it is waiting for a command
        self.kill()
        self._selector.close()
        with contextlib.suppress(OSError):
            self._process.stdout.close()
        if self._channel >= 0:
            os.close(self._channel)
            self._channel = -1
        shutil.rmtree(self.folder, ignore_errors=True)


def signal_name(number: int) -> str:
    """Return a signal's name; most realtime signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def await_ready(worker: Worker) -> None:
    """Wait until a worker has imported what it needs.

    Raises:
        WorkerBrokenError: if it never becomes ready.
    """
    try:
        frame = worker.receive(START_SECONDS)
    except (WorkerTimeoutError, WorkerEndedError, ProtocolError) as error:
        last = worker.output.strip().splitlines()[-1:] or [str(error)]
        raise WorkerBrokenError(f"The worker process does not start: {last[0]}") from error
    if frame.kind != "ready":
        raise WorkerBrokenError(f"The worker process starts with {frame.kind!r}.")


def _read(descriptor: int) -> bytes | None:
    """Return what is there, nothing at the end, `None` where nothing has come yet."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None


def _environment(device: str, mark: str, cache: Path | None) -> dict[str, str]:
    """Return the worker's environment: no interpreter switch, results that do not move with Triton's version."""
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    package = str(Path(__file__).parents[3])  # absolute: the worker runs in another folder
    path = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
    environment |= {MARK: mark, "TRITON_DEFAULT_FP_FUSION": "1", "PYTHONUNBUFFERED": "1", "PYTHONPATH": path}
    if device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
        environment.setdefault("OMP_NUM_THREADS", "1")  # cases are small: threads would wait for each other
    if cache is not None:
        environment["TRITON_CACHE_DIR"] = str(cache)
    return environment


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes whose environment carries the mark, in a session of their own or not."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes():
                yield int(entry.name)
