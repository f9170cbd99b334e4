"""The warm parent: a process that has imported torch, Triton, recorder and engine, computed nothing, and forks workers.

The judge's process forks it before loading any answers (`judgeserver.py`), or a judge starts it as `python -m
tritonpuzzles.forkserver SOCKET`. Each message on the socket requests one child and carries its file descriptors; no
submission ever runs in this process. When the judge closes a child's lifeline, the server kills that child and all
processes that it started. When the judge itself has ended, killed or not, the server kills all of them.

Torch's threads and CUDA do not survive a fork: nothing is computed here, and no GPU is queried.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import selectors
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from threading import Thread

from tritonpuzzles import insides
from tritonpuzzles.memory import let_go_of_libraries, return_what_is_freed
from tritonpuzzles.sandbox import not_dumpable, read_sealed, remove_abandoned
from tritonpuzzles.sandbox.interpreter import forget_folder
from tritonpuzzles.sandbox.kernel import die_with_parent
from tritonpuzzles.sandbox.supervisor import adopt_orphans, end_descendants
from tritonpuzzles.supported import unusable
from tritonpuzzles.wall import raise_wall
from tritonpuzzles.wire.frames import DESCRIPTORS, MAX_REQUEST_BYTES, Request, read_request

IDLE_SECONDS = 0.2  # without a request, after which it frees memory and removes abandoned folders

Serve = Callable[[int, int, Request], None]  # a part's work: commands, channel, request


@dataclass(frozen=True)
class Child:
    """One worker: the pipe for its exit status, and the lifeline, a pipe whose closing requests its end."""

    status: int
    lifeline: int


class ForkServer:
    """Forks, reaps and ends workers.

    Args:
        control: socket on which the judge's requests arrive.
        parts: the function that a worker runs, by part.
    """

    def __init__(self, control: socket.socket, parts: Mapping[str, Serve]) -> None:
        self._control, self._parts = control, parts
        self._children: dict[int, Child] = {}
        self._selector = selectors.DefaultSelector()
        self._deaths, waker = os.pipe()
        os.set_blocking(waker, False)
        os.set_blocking(self._deaths, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._deaths, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until the judge closes its end of the socket; then end every worker."""
        patience: float | None = IDLE_SECONDS
        while True:
            events = self._selector.select(patience)
            if not events:
                let_go_of_libraries()
                remove_abandoned()
                patience = None
            for key, _ in events:
                if key.fileobj is self._control:
                    message, descriptors, _, _ = socket.recv_fds(self._control, 16, len(DESCRIPTORS))
                    if not message:
                        end_descendants()
                        return
                    self._fork(descriptors)
                elif key.fd == self._deaths:
                    self._reap()
                elif key.data in self._children:  # closed lifeline; its descendants are killed when it is reaped
                    self._selector.unregister(self._children[key.data].lifeline)
                    os.kill(key.data, signal.SIGKILL)

    def _fork(self, descriptors: list[int]) -> None:
        named = dict(zip(DESCRIPTORS, descriptors, strict=True))
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        pid = os.fork()
        if pid == 0:
            self._selector.close()
            self._become(named)
        for name in ("request", "commands", "channel", "output"):
            os.close(named[name])
        with contextlib.suppress(OSError):  # the judge may have closed its end
            os.write(named["status"], b"%d\n" % pid)
        self._children[pid] = Child(named["status"], named["lifeline"])
        self._selector.register(named["lifeline"], selectors.EVENT_READ, pid)

    def _become(self, named: dict[str, int]) -> None:
        """Turn this process, freshly forked, into a worker; never returns."""
        code = 1
        try:
            with contextlib.suppress(OSError):
                die_with_parent(signal.SIGKILL)  # nobody is left to time it out
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for child in self._children.values():
                os.close(child.status)
                os.close(child.lifeline)
            self._control.close()
            for name in ("status", "lifeline"):
                os.close(named[name])
            request = read_request(read_sealed(named["request"], MAX_REQUEST_BYTES))
            os.close(named["request"])
            os.environ.clear()
            os.environ.update(request.environment)
            tempfile.tempdir = None  # it may have been cached before the fork, when TMPDIR was another
            os.chdir(request.folder)
            _attach_output(named["output"])
            self._parts[request.part](named["commands"], named["channel"], request)
            code = 0
        except Exception:
            traceback.print_exc()  # a fault of the grader: a submission's exceptions are caught before
        finally:
            os._exit(code)  # whatever threads or exit handlers a submission left behind

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._deaths, 4096)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self._buried(*found)

    def _buried(self, pid: int, status: int) -> None:
        """Report to the judge how a worker ended, once all processes that it started are gone."""
        child = self._children.pop(pid, None)
        if child is None:
            return
        end_descendants(self._children)
        if child.lifeline in self._selector.get_map():
            self._selector.unregister(child.lifeline)
        with contextlib.suppress(OSError):  # the judge may have closed its end
            os.write(child.status, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(child.status)
        os.close(child.lifeline)


def _attach_output(output: int) -> None:
    """Send printed output to the judge at once, and make reads from stdin return nothing.

    The streams that were opened for this process's own log keep what they are given until they are full, or the
    process ends in the ordinary way, which no worker does.
    """
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout, sys.stderr = (_unbuffered(descriptor) for descriptor in (1, 2))


def _unbuffered(descriptor: int) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


def _await_request(control: socket.socket) -> None:
    """Wait until the judge asks for a first child; end this process if it is gone before, imported or not."""
    if not control.recv(1, socket.MSG_PEEK):
        os._exit(0)


def serve(control: socket.socket) -> None:
    """Import what workers need, then fork them on requests from `control` until the judge ends."""
    with contextlib.suppress(OSError):
        adopt_orphans()
        not_dumpable()  # nor are the engines that it forks
    raise_wall()
    if lacking := insides.missing():
        print(unusable(metadata.version("triton"), [f"{name} is not there" for name in lacking]), file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    control.set_inheritable(False)
    waiting = Thread(target=_await_request, args=(control,), daemon=True)
    waiting.start()
    from tritonpuzzles.engine import worker as engine
    from tritonpuzzles.recorder import session as recorder

    waiting.join()  # no thread may live when this process forks
    gc.enable()
    gc.collect()
    gc.freeze()  # so that a child's collector leaves the shared pages shared
    ForkServer(control, {"recorder": recorder.serve, "engine": engine.serve}).serve()


def main() -> None:
    """Serve on the socket that the command line names, then exit at once, without the interpreter's shutdown."""
    return_what_is_freed()
    forget_folder()
    gc.disable()  # imports leave no garbage to collect
    serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)


if __name__ == "__main__":
    main()
