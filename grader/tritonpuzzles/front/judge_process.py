"""The judge in a separate process (`judgeserver.py`), as the command line uses it, which imports no PyTorch.

The process is started before the command line is parsed, and without its arguments: what the fork server and the
workers can read about their ancestors reveals nothing. Notebooks and scripts, which run the learner's code, use one,
too. The process is sent a judge function with its arguments, and sends back progress sentences and the result or error.

Importing this module is cheap, and so is making the process: all else is imported while that imports PyTorch.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tritonpuzzles.judge.workers.parent import Stop

COMMAND = (sys.executable, "-m", "tritonpuzzles.judgeserver")  # then the descriptors of its socket and stop pipe
OWN = {"progress", "stop"}  # keywords that each process replaces with its own
END_SECONDS = 30.0  # until a judge that was told to end its workers is killed; the kernel then ends them

Takes = ParamSpec("Takes")
Gives = TypeVar("Gives")


class JudgeEndedError(RuntimeError):
    """The judge's process has ended: it was killed, perhaps because memory ran out."""


class ElsewhereError(Exception):
    """The traceback of an error in the judge's process, as the cause of that error in this one."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class JudgeProcess:
    """The judge's process, started at once; the kernel ends it when the thread that started it ends."""

    def __init__(self, stop: Stop) -> None:
        from tritonpuzzles.judge.workers.parent import own_environment

        self.stop = stop
        ours, theirs = socket.socketpair()
        shared = (theirs.fileno(), *stop.pipe)
        try:
            self._process = subprocess.Popen(
                [*COMMAND, *map(str, shared)],
                stdin=subprocess.DEVNULL,
                pass_fds=shared,
                start_new_session=True,  # Ctrl-C reaches only this process, which ends the other
                cwd="/",
                env=own_environment(),
            )
        finally:
            theirs.close()
        self._socket = ours

    def ask(self, function: Callable[..., Gives], *arguments: Any, **keywords: Any) -> Gives:
        """Call a function of the judge, found by its module and name, in its process; return its result.

        What is passed as `progress` is called here, and `stop` is replaced by the process's own.

        Raises:
            JudgeEndedError: if the judge's process is gone.
            Exception: what the function raises.
        """
        sent = {name: value for name, value in keywords.items() if name not in OWN}
        own = OWN & keywords.keys()
        try:
            self._connection.send((function, arguments, sent, own, dict(os.environ), os.getcwd()))
            while not isinstance(told := self._connection.recv(), tuple):
                keywords["progress"](told)
        except (EOFError, ConnectionError) as error:
            raise JudgeEndedError(self._how_it_ended()) from error
        except BaseException:
            self.end()
            raise
        value, raised, trace = told
        if raised is not None:
            raise raised from ElsewhereError(trace)
        found: Gives = value
        return found

    @property
    def has_ended(self) -> bool:
        """Whether its process is gone."""
        return self._process.poll() is not None

    @cached_property
    def _connection(self) -> Connection:
        from multiprocessing.connection import Connection

        return Connection(self._socket.detach())

    def end(self) -> None:
        """End it, as an interrupt would: it ends its workers and removes what they have written."""
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _how_it_ended(self) -> str:
        from tritonpuzzles.judge.workers.process import signal_name

        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        code = self._process.returncode
        if code is None or code >= 0:
            return f"the judge's process ended with exit code {code} before it was done."
        memory = "; a system that has no memory left does that" if signal_name(-code) == "SIGKILL" else ""
        return f"the judge's process was ended by {signal_name(-code)} before it was done{memory}."


_judges: list[JudgeProcess] = []  # of this process, all with one stop


def judges(count: int) -> list[JudgeProcess]:
    """Return the judge of this process and others like it, `count` in all, after starting those that do not run.

    Raises:
        OSError: if no process can be started.
    """
    from tritonpuzzles.judge.workers.parent import Stop

    for index in range(count):
        if index == len(_judges) or _judges[index].has_ended:
            _judges[index : index + 1] = [JudgeProcess(_judges[0].stop if _judges else Stop())]
    return _judges[:count]


def begin() -> Stop:
    """Start the judge of this process, unless it is running; return the stop that ends its current work.

    Raises:
        OSError: if no process can be started.
    """
    return judges(1)[0].stop


def judged(function: Callable[Takes, Gives], *arguments: Takes.args, **keywords: Takes.kwargs) -> Gives:
    """Call a function of the judge's in its process, which is started where it is not there yet."""
    return judges(1)[0].ask(function, *arguments, **keywords)
