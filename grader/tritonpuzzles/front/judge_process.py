"""The judge in a process of its own (`judgeserver.py`), from the side of the command line, which imports no PyTorch.

Started before the command line is read, with nothing of it in its own: what its fork server and the workers may read of
where they come from tells nothing. It is sent what to check, and sends back sentences and a report, or an error.

Importing this module is cheap, and so is making the process: all else is imported while that imports PyTorch.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tritonpuzzles.curriculum.record import Puzzle
    from tritonpuzzles.judge.options import CheckOptions
    from tritonpuzzles.results.check import Report
    from tritonpuzzles.results.submission import Submission
    from tritonpuzzles.results.trace import Trace

COMMAND = (sys.executable, "-m", "tritonpuzzles.judgeserver")  # and the number of its socket
END_SECONDS = 30.0  # until a judge that was told to end its workers is killed, which ends them too

Say = Callable[[str], None]


class JudgeEndedError(RuntimeError):
    """The judge's process is no longer there: killed, perhaps for the memory that it took."""


class ElsewhereError(Exception):
    """The traceback of an error in the judge's process, as the cause of that error in this one."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class JudgeProcess:
    """The judge, started at once; the kernel ends it with this process."""

    def __init__(self) -> None:
        from tritonpuzzles.judge.workers.parent import own_environment

        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [*COMMAND, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # what is typed reaches this process, which ends the other in its own way
                cwd="/",
                env=own_environment(),
            )
        finally:
            theirs.close()
        self._socket = ours

    def check(
        self, items: Sequence[tuple[Puzzle, Submission]], options: CheckOptions, say: Say, cache: Path | None
    ) -> Report:
        """Check files, as `judge.check.check` does.

        Raises:
            JudgeEndedError: if the judge's process is gone.
            Exception: what the judge raises.
        """
        report: Report
        report, waited = self._ask(say, "check", items, options, cache=cache)
        first = [replace(result, seconds=result.seconds + waited) for result in report.results[:1]]
        return replace(report, results=(*first, *report.results[1:]))

    def trace(self, puzzle: Puzzle, file: Submission, options: CheckOptions, say: Say) -> Trace:
        """Run a file for its pictures, as `judge.trace.trace` does; it raises what `check` raises."""
        found: Trace = self._ask(say, "trace", puzzle, file, options, picture=True)[0]
        return found

    def _ask(self, say: Say, work: str, *arguments: Any, **keywords: Any) -> tuple[Any, float]:
        """Have something done; return what it gives, and the seconds until it was begun."""
        from tritonpuzzles.judgeserver import BEGINS, GIVES, RAISES

        asked, waited = time.perf_counter(), 0.0
        try:
            self._connection.send((work, arguments, keywords, dict(os.environ), os.getcwd()))
            while True:
                kind, told = self._connection.recv()
                if kind == BEGINS:
                    waited = time.perf_counter() - asked
                elif kind == GIVES:
                    return told, waited
                elif kind == RAISES:
                    break
                else:
                    say(told)
        except (EOFError, ConnectionError) as error:
            raise JudgeEndedError(self._how_it_ended()) from error
        except BaseException:
            self.end()
            raise
        raised, trace = told
        raise raised from ElsewhereError(trace)

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
