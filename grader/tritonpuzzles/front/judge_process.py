"""The judge in a process of its own (`judgeserver.py`), from the side of the command line, which imports no PyTorch.

Started before the command line is read, with nothing of it in its own: what its fork server and the workers may read of
where they come from tells nothing. A notebook and a script, in which a learner's own code has run, have one, too. It is
sent a function of the judge's with what that takes, and sends back sentences and what the function returns or raises.

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

    from tritonpuzzles.judge.workers.stop import Stop

COMMAND = (sys.executable, "-m", "tritonpuzzles.judgeserver")  # and the numbers of its socket and its stop
OWN = {"progress", "stop"}  # what each of the two has for itself, and a function is given there
END_SECONDS = 30.0  # until a judge that was told to end its workers is killed, which ends them too

Takes = ParamSpec("Takes")
Gives = TypeVar("Gives")


class JudgeEndedError(RuntimeError):
    """The judge's process is no longer there: killed, perhaps for the memory that it took."""


class ElsewhereError(Exception):
    """The traceback of an error in the judge's process, as the cause of that error in this one."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class JudgeProcess:
    """The judge, started at once; the kernel ends it with the thread that has started it."""

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
                start_new_session=True,  # what is typed reaches this process, which ends the other in its own way
                cwd="/",
                env=own_environment(),
            )
        finally:
            theirs.close()
        self._socket = ours

    def ask(self, function: Callable[..., Gives], *arguments: Any, **keywords: Any) -> Gives:
        """Have a function of a module of the judge's do its work there, and return what it returns.

        Args:
            function: found there by its name.
            *arguments: that it takes.
            **keywords: that it takes; `progress` is called here, and `stop` is this process's.

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
            self._end()
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

    def _end(self) -> None:
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


_judge: JudgeProcess | None = None


def begin() -> Stop:
    """Start the judge of this process's command line, unless it is there; return what ends what it does.

    Raises:
        OSError: if no process is to be had.
    """
    from tritonpuzzles.judge.workers.stop import Stop

    global _judge
    if _judge is None or _judge.has_ended:
        _judge = JudgeProcess(Stop() if _judge is None else _judge.stop)
    return _judge.stop


def judged(function: Callable[Takes, Gives], *arguments: Takes.args, **keywords: Takes.kwargs) -> Gives:
    """Call a function of the judge's in its process, which is started where it is not there yet."""
    begin()
    assert _judge is not None
    return _judge.ask(function, *arguments, **keywords)
