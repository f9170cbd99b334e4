"""The judge's connection to its fork server, and the pipe that tells a running check to end.

The server was forked before this process judged anything, or is started when it is needed.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Lock
from typing import IO

from tritonpuzzles.sandbox import seal
from tritonpuzzles.sandbox.interpreter import python_environment
from tritonpuzzles.wire.frames import KEPT_FOLDERS, Request, write_request

END_SECONDS = 20.0  # a worker that has not ended by then is given up


class StoppedError(Exception):
    """A check was stopped before it was done."""


class Stop:
    """A pipe that contains data while running work shall end; `pipe` are its two ends, which others may share."""

    def __init__(self, pipe: tuple[int, int] | None = None) -> None:
        self.pipe = self._asked, self._ask = pipe or os.pipe()
        for descriptor in self.pipe:
            os.set_blocking(descriptor, False)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a stop is requested."""
        return self._asked

    def ask(self) -> None:
        """Request running work to end; from any thread or process."""
        with contextlib.suppress(BlockingIOError):  # the pipe is full of requests
            os.write(self._ask, b".")

    def take_back(self) -> None:
        """Clear the request, so that new work can run."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._asked, 4096):
                pass

    def heed(self) -> None:
        """Raise StoppedError if a stop was requested."""
        if select.select([self._asked], [], [], 0)[0]:
            raise StoppedError

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._asked)
        os.close(self._ask)


class Child:
    """A requested worker: its exit status, and the lifeline whose closing ends it."""

    def __init__(self, status: int, lifeline: int) -> None:
        self._status, self._lifeline = status, lifeline
        os.set_blocking(status, False)
        self._told = b""
        self._open = True

    def has_ended(self) -> bool:
        """Return whether the worker and all its processes have ended."""
        self._listen()
        return not self._open

    @property
    def returncode(self) -> int | None:
        """Its exit code, negative for a signal; `None` if the fork server has not reported one."""
        code = self._told.partition(b"\n")[2]
        return int(code) if code else None

    @property
    def pid(self) -> int | None:
        """Its process id, as this process sees it, while it runs; `None` if unknown."""
        self._listen()
        first, told, _ = self._told.partition(b"\n")
        return int(first) if self._open and told else None

    def wait(self, seconds: float) -> int | None:
        """Wait for its end and return its exit code; `None` if it still runs or the code is unknown."""
        if not self._open:
            return self.returncode
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._status, selectors.EVENT_READ)
            while not self.has_ended() and (left := deadline - time.monotonic()) > 0:
                selector.select(left)
        return self.returncode

    def end(self) -> None:
        """End it and all that it started; may be called twice."""
        if self._lifeline < 0:
            return
        os.close(self._lifeline)
        self._lifeline = -1
        self.wait(END_SECONDS)
        os.close(self._status)
        self._open = False

    def _listen(self) -> None:
        while self._open:
            try:
                data = os.read(self._status, 4096)
            except BlockingIOError:
                return
            self._told += data
            self._open = bool(data)


class WarmParent:
    """The process that forks workers; it ends when this process ends, for whatever reason.

    It receives requests through `control`, and closes that when it ends; its other output goes to the log.
    """

    def __init__(self, control: socket.socket, log: IO[bytes], process: subprocess.Popen[bytes] | None = None) -> None:
        self._control, self._log, self._process = control, log, process
        self._owner = os.getpid()

    @classmethod
    def start(cls) -> WarmParent:
        """Start a fork server as a separate program."""
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        log = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process lives)
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "tritonpuzzles.forkserver", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd="/",
                env=own_environment(),
            )
        finally:
            theirs.close()
        return cls(control, log, process)

    @property
    def is_mine(self) -> bool:
        """Whether it is running and belongs to this process: a forked child must not use its parent's server."""
        if self._owner != os.getpid() or self._control.fileno() < 0:
            return False
        hung_up = select.poll()
        hung_up.register(self._control, 0)
        return not hung_up.poll(0)

    @property
    def printed(self) -> str:
        """Its log: why it did not start, if it did not."""
        self._log.seek(0)
        return self._log.read(1 << 16).decode("utf-8", "replace")

    def fork(self, request: Request, commands: int, channel: int, output: int) -> Child:
        """Request a worker, and close its ends of the pipes for commands, frames and printed text; returns at once."""
        status, told = os.pipe()
        held, lifeline = os.pipe()
        descriptors = (seal(write_request(request), "request"), commands, channel, output, told, held)
        with contextlib.suppress(OSError):  # the server is gone: the status pipe shows it
            socket.send_fds(self._control, [b"fork"], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return Child(status, lifeline)

    def close(self) -> None:
        """End it and all its workers; wait for its end if it is a separate program."""
        self._control.close()
        if self._process is not None:
            self._process.wait()


_parent: WarmParent | None = None
_starting = Lock()


def warm_parent() -> WarmParent:
    """Return this process's fork server; start one if there is none, or it was killed."""
    global _parent
    with _starting:  # several files may be checked at once
        if _parent is None or not _parent.is_mine:
            _parent = WarmParent.start()
        return _parent


def adopt(control: socket.socket, log: IO[bytes]) -> None:
    """Use a fork server that this process has forked; the arguments are those of `WarmParent`."""
    global _parent
    _parent = WarmParent(control, log)


def own_environment() -> dict[str, str]:
    """Return the environment of the grader's own processes; workers get another one."""
    return {**python_environment(), "OPENBLAS_NUM_THREADS": "1"}


def worker_environment(device: str, folder: Path, card: str | None) -> dict[str, str]:
    """Return the worker's environment: no interpreter switch, and temporary files and caches are in its folder."""
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment |= {"TMPDIR": str(folder), "TRITON_CACHE_DIR": str(folder / KEPT_FOLDERS[1])}
    if device == "cpu" or card is not None:
        environment["CUDA_VISIBLE_DEVICES"] = "" if device == "cpu" else str(card)
    return environment
