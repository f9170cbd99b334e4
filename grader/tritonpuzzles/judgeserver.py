"""The judge in a separate process, so that PyTorch is in memory once: it forks the fork server and then judges.

The command line starts it as `python -m tritonpuzzles.judgeserver SOCKET STOP STOP` before parsing its arguments. It
imports PyTorch first, and forks the fork server before any answer is loaded. Requests are pickled and sent through the
socket: both ends are ours, and neither runs a submission. It ends when the process that started it ends.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from threading import Lock
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

from tritonpuzzles import forkserver
from tritonpuzzles.memory import let_go_of_libraries, return_what_is_freed
from tritonpuzzles.sandbox import not_dumpable
from tritonpuzzles.sandbox.interpreter import forget_folder
from tritonpuzzles.sandbox.kernel import die_with_parent

if TYPE_CHECKING:
    from tritonpuzzles.judge.workers.parent import Stop

Answer = tuple[Any, Exception | None, str]  # a function's result, or its exception, and the traceback


def main() -> None:
    """Import PyTorch, fork the fork server, and serve on the socket, and with the stop, that the command line names."""
    asker, asked, ask = map(int, sys.argv[1:])
    end_with_asker()
    return_what_is_freed()
    forget_folder()
    failure: Exception | None = None
    gc.disable()  # imports leave no garbage to collect
    try:
        import torch  # noqa: F401 (for both)
    except Exception as error:
        failure = error
    else:
        fork_server(asker, asked, ask)
        let_go_of_libraries()
    gc.enable()
    from tritonpuzzles.judge.workers.parent import Stop

    serve(Connection(asker), Stop((asked, ask)), failure)
    os._exit(0)  # an interpreter that ends in the ordinary way takes torch apart


def end_with_asker() -> None:
    """Have the kernel end this process when its parent ends, and make its memory unreadable for other processes."""
    started_by = os.getppid()
    with contextlib.suppress(OSError):  # without this call, the closed socket ends it
        die_with_parent(signal.SIGKILL)
        not_dumpable()
    if os.getppid() != started_by:
        os._exit(0)


def fork_server(*asker: int) -> None:
    """Fork the fork server and give it to the judge; where that cannot be, the judge starts one when it needs it.

    The descriptors in `asker` lead to the command line; the fork server closes them.
    """
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    log = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process lives)
    gc.freeze()  # so that the collector does not write to shared pages
    try:
        pid = os.fork()
    except OSError:
        return
    if pid == 0:
        for descriptor in asker:
            os.close(descriptor)
        mine.close()
        _become_server(theirs, log)
    theirs.close()
    from tritonpuzzles.judge.workers.parent import adopt

    adopt(mine, log)


def _become_server(control: socket.socket, log: IO[bytes]) -> None:
    """Turn this process, freshly forked, into the fork server; never returns."""
    code = 1
    try:
        os.setsid()
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        for standard in (1, 2):
            os.dup2(log.fileno(), standard)
        log.close()
        forkserver.serve(control)
        code = 0
    except Exception:
        traceback.print_exc()  # into the log
        sys.stderr.flush()
    finally:
        os._exit(code)


def serve(asker: Connection, stop: Stop, failure: Exception | None = None) -> None:
    """Execute function calls, one after the other, until the socket is closed.

    Progress of a function is sent back while it runs, and then an `Answer`, which is a tuple.

    Args:
        asker: the connection for requests and answers.
        stop: passed to functions that accept it, to end them.
        failure: an error that makes every call fail.
    """
    signal.signal(signal.SIGTERM, _interrupted)
    saying = Lock()

    def say(told: object) -> None:
        with saying:  # several threads may send progress
            asker.send(told)

    mine = {"progress": say, "stop": stop}
    try:
        while True:
            function, arguments, keywords, own, environment, folder = asker.recv()
            os.environ.clear()
            os.environ.update(environment)
            with contextlib.suppress(OSError):  # it is gone: files are named by whole paths
                os.chdir(folder)
            keywords |= {name: mine[name] for name in own}
            asker.send(_answer(failure, partial(function, *arguments, **keywords)))
    except (EOFError, OSError, KeyboardInterrupt):
        return  # the command line has ended


def _answer(failure: Exception | None, work: Callable[[], Any]) -> Answer:
    """Return what a piece of work gives or raises, as it is sent."""
    try:
        if failure is not None:
            raise failure
        return work(), None, ""
    except Exception as error:
        return None, _sendable(error), traceback.format_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):  # a reference that prints
            with contextlib.suppress(OSError, ValueError):
                stream.flush()


def _sendable(error: Exception) -> Exception:
    """Return an error that the other side can unpickle: ours or Python's own, else a RuntimeError with its text.

    Unpickling any other would import the library that defines it.
    """
    kind = type(error)
    known = kind.__module__ == "builtins" or kind.__module__.startswith("tritonpuzzles.")
    if known and all(isinstance(argument, (str, int, float, type(None))) for argument in error.args):
        return error
    return RuntimeError(str(error) if isinstance(error, RuntimeError) else f"{kind.__name__}: {error}")


def _interrupted(number: int, frame: FrameType | None) -> None:
    """End the running call like an interrupt, with its workers and their folders; a second signal is ignored."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
