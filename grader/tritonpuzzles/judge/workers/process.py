"""A worker process from outside: have it forked, talk to it, limit its output, end it.

No message of a worker counts as a verdict, and its exit code only shows how it ended.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.workers.parent import Stop, StoppedError, warm_parent, worker_environment
from tritonpuzzles.sandbox import Scratch, computed_by, ended_for_memory
from tritonpuzzles.wire.frames import OUT_OF_MEMORY, Frame, FrameReader, ProtocolError, Request, header_line

MAX_OUTPUT_BYTES = 64 << 10
CHUNK = 1 << 20
START_SECONDS = 180.0
POLL_SECONDS = 0.5
COMMAND_SECONDS = 60.0  # until a worker has read a command
GRACE_SECONDS = 0.2  # between the end of a channel and the end of its process


class WorkerTimeoutError(Exception):
    """A stage took longer than it may."""


class WorkerEndedError(Exception):
    """The worker ended, or closed its channel, too early.

    `returncode` is as in `subprocess`, negative for a signal; `None` if it only closed its channel.
    """

    def __init__(self, returncode: int | None, of_memory: bool = False) -> None:
        super().__init__(f"the worker ended with {returncode}")
        self.returncode, self.of_memory = returncode, of_memory


class WorkerBrokenError(RuntimeError):
    """The grader's own worker does not start: the installation is at fault, never the learner."""


def nothing(folder: Path) -> None:
    """Do nothing with a worker's folder."""


class Worker:
    """One worker in its own session, with pipes for commands, frames and what the learner prints.

    Starting returns at once: the warm parent imports torch and triton while the judge does the same.
    """

    def __init__(
        self,
        part: str,  # "recorder" or "engine"
        device: str,  # "cpu" hides every GPU from it
        stop: Stop | None = None,  # ends every wait for it
        modules: Sequence[str] = (),  # and pack: an author's modules, imported before confinement, and their folder
        pack: Path | str = "",
        prepare: Callable[[Path], None] = nothing,  # called with its folder before it starts
        user: int | None = None,  # user id that it switches to, if this process is root; that user gets the folder
        card: str | None = None,  # that it sees, as `CUDA_VISIBLE_DEVICES` names it; `None` for all
    ) -> None:
        self._stop = stop
        self.on_end = nothing  # called with its folder after all its processes have ended
        self._owes = False  # whether it owes an answer: until then it reads no command
        self._reader = FrameReader()
        self._scratch = Scratch()
        self.folder = self._scratch.path  # its working folder, for stray files too; removed by `close`
        prepare(self.folder)
        self._frames: list[Frame] = []
        self._output = bytearray()
        self._closed = False
        self.output_bytes = 0
        self._killed_before = ended_for_memory()
        commands, sent = os.pipe()
        os.set_blocking(sent, False)
        self._commands = sent
        self._channel, channel = os.pipe()
        self._printed, printed = os.pipe()
        environment = worker_environment(device, self.folder, card)
        request = Request(part, device, str(self.folder), environment, tuple(modules), str(pack), user)
        self._scratch.give(user)
        self._parent = warm_parent()
        self._child = self._parent.fork(request, commands, channel, printed)
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._channel, self._printed):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        if stop is not None:
            self._selector.register(stop, selectors.EVENT_READ)

    @property
    def is_waiting(self) -> bool:
        """Whether it runs and has sent nothing; the channel of a killed worker shows its end at once."""
        return not (self._child.has_ended() or self._frames or select.select([self._channel], [], [], 0)[0])

    @property
    def parents_words(self) -> str:
        """The log of the fork server that it comes from: why it does not start."""
        return self._parent.printed

    @property
    def computed(self) -> float:
        """CPU seconds of the worker and all that it started; 0 if it has ended, or they are unknown."""
        pid = self._child.pid
        return 0.0 if pid is None else computed_by(pid)

    @property
    def output(self) -> str:
        """What the learner's code printed until now, at most `MAX_OUTPUT_BYTES` of it."""
        self._drain_output()
        return self._output.decode("utf-8", "replace")

    def accept(self, max_payload_bytes: int) -> None:
        """Limit the payload of frames from now on."""
        self._reader.max_payload_bytes = max_payload_bytes

    def command(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        """Send one command to a worker that waits for it; a worker that is gone shows at the next `receive`.

        A worker that still owes an answer would not read the command, and this process would not read the answer: both
        would wait for ever. Raises StoppedError if a stop is requested, or was before the last answer was read
        completely.
        """
        if self._owes:
            raise StoppedError
        self._owes = True
        deadline = time.monotonic() + COMMAND_SECONDS
        for part in (header_line({"kind": kind, **fields}, len(payload)), payload):
            self._write(memoryview(part), deadline)

    def _write(self, left: memoryview, deadline: float) -> None:
        """Write to a worker that reads; end a worker that has not read everything in time."""
        waiting = select.poll()
        waiting.register(self._commands, select.POLLOUT)
        with contextlib.suppress(BrokenPipeError):
            while left:
                if self._stop is not None:
                    self._stop.heed()
                if waiting.poll(1000 * POLL_SECONDS):
                    left = left[os.write(self._commands, left) :]
                elif time.monotonic() > deadline:
                    self.kill()
                    return

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
        frame = self._frames.pop(0)
        self._owes = self._owes and frame.kind != "done"
        return frame

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
            if data and key.fd == self._channel:
                self._frames += self._reader.feed(data)
            elif data:
                self._keep_output(data)
            elif key.fd == self._printed:
                self._selector.unregister(key.fd)
            else:
                self._drain_output()
                raise self._ended()

    def _ended(self) -> WorkerEndedError:
        """End all that is left of it, and return how it ended."""
        code = self.kill()
        killed = code == -signal.SIGKILL and ended_for_memory() > self._killed_before
        return WorkerEndedError(code, killed or code == OUT_OF_MEMORY)

    def _keep_output(self, data: bytes) -> None:
        self.output_bytes += len(data)
        self._output += data[: max(0, MAX_OUTPUT_BYTES - len(self._output))]

    def _drain_output(self) -> None:
        """Read what was printed, without waiting for more: a grandchild may keep the pipe open."""
        while not self._closed and (data := _read(self._printed)):
            self._keep_output(data)
            if self.output_bytes > MAX_OUTPUT_BYTES:
                break

    def kill(self) -> int | None:
        """End the worker and every process that it started; return its exit code if it had ended before."""
        self._owes = False
        returncode = self._child.wait(GRACE_SECONDS)
        self._child.end()
        return returncode

    def dismiss(self) -> None:
        """Close its commands, so that it ends on its own when it waits for one; may be called twice."""
        if self._commands >= 0:
            os.close(self._commands)
            self._commands = -1

    def close(self) -> None:
        """End the worker and close its pipes; may be called twice."""
        if self._closed:
            return
        self.dismiss()
        self.kill()
        self.on_end(self.folder)
        self._drain_output()
        self._closed = True
        self._selector.close()
        os.close(self._printed)
        os.close(self._channel)
        self._scratch.remove()


def signal_name(number: int) -> str:
    """Return a signal's name; most realtime signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def await_ready(worker: Worker) -> Frame:
    """Wait until a worker has imported what it needs, and return its first frame; no submission affects that.

    Raises WorkerBrokenError if it never becomes ready.
    """
    try:
        frame = worker.receive(START_SECONDS)
    except (WorkerTimeoutError, WorkerEndedError, ProtocolError) as error:
        last = ((worker.output + worker.parents_words).strip().splitlines()[-1:] or [str(error)])[0]
        whole = last.startswith("Triton ")  # a complete sentence
        raise WorkerBrokenError(last if whole else f"The worker process does not start: {last}") from error
    if frame.kind != "ready":
        raise WorkerBrokenError(f"The worker process starts with {frame.kind!r}.")
    if frame.header.get("unusable"):
        raise WorkerBrokenError(str(frame.header["unusable"]))
    return frame


def _read(descriptor: int) -> bytes | None:
    """Return available bytes: empty at the end, `None` if nothing has arrived yet."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None
