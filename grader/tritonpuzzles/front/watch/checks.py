"""The thread that checks: one thing at a time, the newest only, and the next check begun while nobody waits."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import judge_process
from tritonpuzzles.front.grading import Request, Say, Source, grade, select
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.watch.events import Broke, Checked, Doing, Event, Inbox, Known, Noted, Traced
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.recheck import prepare, put_away, recheck
from tritonpuzzles.judge.trace import trace
from tritonpuzzles.judge.workers.stop import StoppedError
from tritonpuzzles.results.check import Preliminary, Report
from tritonpuzzles.results.submission import Submission

Tell = Callable[[Event], None]
Job = Callable[[Tell], None]
END_SECONDS = 3.0


class Checks:
    """A thread that asks the judge, from `start` to `end`."""

    def __init__(self, options: CheckOptions, inbox: Inbox) -> None:
        self._options, self._inbox = options, inbox
        self._stop = judge_process.begin()
        self._changed = threading.Condition()
        self._job: tuple[int, Job] | None = None
        self._number = 0
        self._has_checked = False
        self._interruptible = self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def check(self, puzzle: Puzzle) -> int:
        """Check the learner's file of a puzzle; what is running ends. Returns its number."""
        return self._begin(lambda tell: self._check(puzzle, tell))

    def trace(self, puzzle: Puzzle) -> int:
        """Have the ledger of the learner's file; what is running ends. Returns its number."""
        return self._begin(lambda tell: self._trace(puzzle, tell))

    def end(self) -> bool:
        """End what is running, and the thread; return whether it has ended in time."""
        with self._changed:
            self._ended, self._job = True, None
            self._stop.ask()
            self._changed.notify()
        self._thread.join(END_SECONDS)
        return not self._thread.is_alive()

    def _begin(self, job: Job) -> int:
        with self._changed:
            self._number += 1
            self._job = self._number, job
            if self._interruptible:
                self._stop.ask()
            self._changed.notify()
            return self._number

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            number, job = taken
            try:
                judge_process.begin()  # another one, where it was killed
                job(partial(self._inbox.post, number))
            except StoppedError:
                continue
            except Exception as error:
                self._inbox.post(number, Broke(error))
            finally:
                with self._changed:
                    self._interruptible = False
            self._prepare()
        with contextlib.suppress(Exception):  # it is gone
            judged(put_away)

    def _take(self) -> tuple[int, Job] | None:
        """Wait for something to do; `None` at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._job is not None or self._ended)
            if self._ended:
                return None
            taken, self._job = self._job, None
            self._stop.take_back()
            self._interruptible = True
            return taken

    def _prepare(self) -> None:
        with self._changed:
            if self._job is not None or self._ended:
                return
        with contextlib.suppress(Exception):  # the check itself will say so
            judged(prepare)

    def _check(self, puzzle: Puzzle, tell: Tell) -> None:
        asked = time.perf_counter()

        def told(found: str | Preliminary) -> None:
            tell(Known(found) if isinstance(found, Preliminary) else Doing(found))

        def rechecked(
            items: Sequence[tuple[Puzzle, Submission]], options: CheckOptions, say: Say, cache: Path | None
        ) -> Report:
            return judged(recheck, *items[0], options, progress=told, stop=self._stop, cache=cache, asked=asked)

        tell(Doing("starting" if self._has_checked else "starting: PyTorch and Triton are imported, once"))
        self._has_checked = True
        request = Request((str(puzzle.number),), Source(), self._options)
        graded = grade(request, lambda s: tell(Doing(s)), lambda s: tell(Noted(s)), rechecked)
        tell(Checked(graded))

    def _trace(self, puzzle: Puzzle, tell: Tell) -> None:
        chosen = select(Request((str(puzzle.number),), Source(), self._options), lambda s: tell(Noted(s)))
        options = CheckOptions("cpu", self._options.seed, self._options.timeout)
        tell(Traced(judged(trace, *chosen.items[0], options, progress=lambda s: tell(Doing(s)), stop=self._stop)))
