"""Check one file again each time it is saved; what does not need the file is prepared while nobody waits.

Every check has its own seed, drawn anew unless one is given. When the file is saved, its cases, their answers and two
workers that have read the inputs are ready; nothing that an earlier check found is kept. `recheck`, `prepare` and
`put_away` do so for the one file that a process checks.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.checker import Checker, Tell, ready_for
from tritonpuzzles.judge.environment import environment, helpers, one_thread
from tritonpuzzles.judge.options import CheckOptions, Progress
from tritonpuzzles.judge.workers.parent import Stop, StoppedError
from tritonpuzzles.judge.workers.process import WorkerBrokenError
from tritonpuzzles.results.check import Preliminary, Report
from tritonpuzzles.results.submission import Submission


class Rechecker:
    """Checks one puzzle's file again and again; only `stop` may be used from another thread, to end a running check."""

    def __init__(self, puzzle: Puzzle, file: Submission, options: CheckOptions, cache: Path | None, stop: Stop) -> None:
        self.puzzle, self._file, self._options, self._cache, self._stop = puzzle, file, options, cache, stop
        self._next: Checker | None = None

    def check(self, progress: Progress, tell: Tell, asked: float | None = None) -> Report:
        """Check the file as it is now, and report preliminary results to `tell`; else like `judge.check.check`.

        Raises StoppedError if the user stops the check.
        """
        started = time.perf_counter() if asked is None else asked
        begun, self._next = self._next, None
        checker = replace(begun or self._new(), progress=progress, tell=tell)
        for device, ready in list(checker.begun.items()):
            ready.trial.progress = progress
            if not ready.crew.is_waiting:  # ended while it waited
                ready.crew.close()
                del checker.begun[device]
        try:
            result = checker.check_file(self.puzzle, self._file)
        finally:
            _close(checker)
        result = replace(result, seconds=time.perf_counter() - started)
        return Report(tritonpuzzles.__version__, environment(), (result,))

    def prepare(self) -> None:
        """Prepare the next check; if that fails, the check itself will report it."""
        if self._next is not None:
            return
        checker = self._new()
        try:
            for device in checker.devices:
                with ExitStack() as unless_begun:
                    crew = unless_begun.enter_context(checker.crew(self.puzzle, device))
                    with one_thread():
                        begun = checker.begin(self.puzzle, self._file, device, crew)
                    unless_begun.pop_all()
                checker.begun[device] = begun
                if begun.trial.prepare(crew).failure is not None:
                    raise WorkerBrokenError("a worker ended while it took its inputs")
        except (StoppedError, WorkerBrokenError, OSError):
            _close(checker)
        else:
            self._next = checker

    def close(self) -> None:
        """End the workers of a prepared check."""
        if self._next is not None:
            _close(self._next)
            self._next = None

    def _new(self) -> Checker:
        """Return a checker with its own seed."""
        devices, seed, draws = ready_for([self.puzzle], self._options)
        options, more = self._options, helpers(waiting=True)
        return Checker(options, devices, seed, lambda _: None, self._cache, draws.of, stop=self._stop, helpers=more)


_here: Rechecker | None = None


def recheck(
    puzzle: Puzzle,
    file: Submission,
    options: CheckOptions,
    progress: Callable[[str | Preliminary], None],
    stop: Stop,
    cache: Path | None = None,
    asked: float | None = None,
) -> Report:
    """Check a file as it is now; arguments and exceptions are those of `Rechecker` and its `check`.

    A prepared check of another puzzle's file is discarded.
    """
    global _here
    if _here is None or _here.puzzle != puzzle:
        put_away()
        _here = Rechecker(puzzle, file, options, cache, stop)
    return _here.check(progress, progress, asked)


def prepare() -> None:
    """Prepare the next check of the puzzle that was checked last."""
    if _here is not None:
        _here.prepare()


def put_away() -> None:
    """End the workers that wait for a file."""
    global _here
    if _here is not None:
        _here.close()
        _here = None


def _close(checker: Checker) -> None:
    while checker.begun:
        with contextlib.suppress(OSError):
            checker.begun.popitem()[1].crew.close()
