"""A worker process from outside: have it forked, talk to it, bound what it says, end it.

Nothing that a worker says is believed as a verdict, and its exit code means nothing but how it ended.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.workers.parent import warm_parent
from tritonpuzzles.judge.workers.stop import Stop, StoppedError
from tritonpuzzles.sandbox import ended_for_memory, remove_tree
from tritonpuzzles.wire.fork import Request
from tritonpuzzles.wire.frames import Frame, FrameReader, ProtocolError, write_frame
from tritonpuzzles.wire.serving import OUT_OF_MEMORY

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
        of_memory: whether memory had run out.
    """

    def __init__(self, returncode: int | None, of_memory: bool = False) -> None:
        super().__init__(f"the worker ended with {returncode}")
        self.returncode, self.of_memory = returncode, of_memory


class WorkerBrokenError(RuntimeError):
    """The grader's own worker does not start: an installation fault, never a learner's."""


class Worker:
    """One worker in its own session, with pipes for commands, frames and what the learner prints.

    Starting returns at once: the warm parent imports torch and triton while the judge does the same.

    Args:
        part: "recorder" or "engine".
        device: "cpu" hides every GPU from it.
        cache: where Triton keeps compiled kernels; its own default place if `None`.
        stop: ends every wait for a frame.

    Attributes:
        folder: its working directory, where jobs and a submission's stray files lie; removed by `close`.
    """

    def __init__(self, part: str, device: str, cache: Path | None = None, stop: Stop | None = None) -> None:
        self._stop = stop
        self._reader = FrameReader()
        self.folder = Path(tempfile.mkdtemp(prefix="tritonpuzzles-"))
        self._frames: list[Frame] = []
        self._output = bytearray()
        self._closed = False
        self.output_bytes = 0
        self._killed_before = ended_for_memory()
        commands, sent = os.pipe()
        self._commands = os.fdopen(sent, "wb")
        self._channel, channel = os.pipe()
        self._printed, printed = os.pipe()
        request = Request(part, device, str(self.folder), _environment(device, cache, self.folder))
        self._child = warm_parent().fork(request, commands, channel, printed)
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._channel, self._printed):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        if stop is not None:
            self._selector.register(stop, selectors.EVENT_READ)

    @property
    def is_waiting(self) -> bool:
        """Whether it is there, with nothing to say: the channel of one that was killed tells its end at once."""
        return not (self._child.has_ended() or self._frames or select.select([self._channel], [], [], 0)[0])

    @property
    def output(self) -> str:
        """What the learner's code printed until now, at most `MAX_OUTPUT_BYTES` of it."""
        self._drain_output()
        return self._output.decode("utf-8", "replace")

    def accept(self, max_payload_bytes: int) -> None:
        """Bound the frames that come from now on."""
        self._reader.max_payload_bytes = max_payload_bytes

    def command(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        """Send one command; a worker that is gone shows at the next `receive`.

        It must be waiting for one: a command may be larger than what a pipe holds.
        """
        with contextlib.suppress(OSError):
            write_frame(self._commands, {"kind": kind, **fields}, payload)

    def receive(self, seconds: float) -> Frame:
        """Wait for the next frame.

        Raises:
            WorkerTimeoutError: if none came within `seconds`.
            WorkerEndedError: if none will come.
            ProtocolError: if what came is not a frame or too large.
            StoppedError: if somebody asks for the end.
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
        if not events and self._child.has_ended():  # a grandchild may hold the channel open for ever
            raise self._ended()
        for key, _ in events:
            if key.fileobj is self._stop:
                raise StoppedError
            data = _read(key.fd)
            if data is None:
                continue
            if key.fd != self._channel:
                self._keep_output(data, key.fd)
            elif data:
                self._frames += self._reader.feed(data)
            else:
                self._drain_output()
                raise self._ended()

    def _ended(self) -> WorkerEndedError:
        """End what is left of it, and return how it ended."""
        code = self.kill()
        killed = code == -signal.SIGKILL and ended_for_memory() > self._killed_before
        return WorkerEndedError(code, killed or code == OUT_OF_MEMORY)

    def _keep_output(self, data: bytes, descriptor: int) -> None:
        if not data:
            self._selector.unregister(descriptor)
        self.output_bytes += len(data)
        self._output += data[: max(0, MAX_OUTPUT_BYTES - len(self._output))]

    def _drain_output(self) -> None:
        """Take what was printed, without waiting for more: a grandchild may keep the pipe open."""
        while not self._closed and (data := _read(self._printed)):
            self.output_bytes += len(data)
            self._output += data[: max(0, MAX_OUTPUT_BYTES - len(self._output))]
            if self.output_bytes > MAX_OUTPUT_BYTES:
                break

    def kill(self) -> int | None:
        """End the worker and every process that it started; return its exit code if it had ended by itself."""
        returncode = self._child.wait(GRACE_SECONDS)
        self._child.end()
        return returncode

    def close(self) -> None:
        """End the worker and give back its pipes; may be called twice."""
        if self._closed:
            return
        with contextlib.suppress(OSError):
            self._commands.close()  # it ends by itself, at once, if it is waiting for a command
        self.kill()
        self._drain_output()
        self._closed = True
        self._selector.close()
        os.close(self._printed)
        os.close(self._channel)
        with contextlib.suppress(OSError):
            remove_tree(self.folder)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


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
        last = (worker.output + warm_parent().printed).strip().splitlines()[-1:] or [str(error)]
        raise WorkerBrokenError(f"The worker process does not start: {last[0]}") from error
    if frame.kind != "ready":
        raise WorkerBrokenError(f"The worker process starts with {frame.kind!r}.")


def _read(descriptor: int) -> bytes | None:
    """Return what is there, nothing at the end, `None` where nothing has come yet."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None


def _environment(device: str, cache: Path | None, folder: Path) -> dict[str, str]:
    """Return the worker's environment: no interpreter switch, results that do not move with Triton's version.

    Nothing that it writes is meant to lie outside of its folder, but the kernels that Triton keeps.
    """
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment |= {"TRITON_DEFAULT_FP_FUSION": "1", "TMPDIR": str(folder)}
    if device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
        environment["TRITON_CACHE_DIR"] = str(folder / "kernels")
    if cache is not None:
        environment["TRITON_CACHE_DIR"] = str(cache)
    return environment
