"""The thread that checks: one job at a time, only the newest, and preparation of the next one while idle.

It reports by events. Saves are detected by polling a file's time and size. Notifications of the system would be
faster, but network drives, bind mounts and Windows folders send none.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import judge_process
from tritonpuzzles.front.grading import Graded, Request, Say, Source, grade, select
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.recheck import prepare, put_away, recheck
from tritonpuzzles.judge.trace import trace
from tritonpuzzles.judge.workers.parent import StoppedError
from tritonpuzzles.results.check import Preliminary, Report
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace

END_SECONDS = 3.0
SECONDS = 0.1
APART = SECONDS / 2  # two looks at the least, which other events may bring on early


@dataclass(frozen=True)
class Noted:
    """A sentence on something that does not stop a check."""

    sentence: str


# A progress sentence, a warning, a preliminary result, a finished check, a ledger, the error that stopped either.
Event = str | Noted | Preliminary | Graded | Trace | Exception
Tell = Callable[[Event], None]
Job = Callable[[Tell], None]


class Inbox:
    """A queue of events, each with its job's number; its descriptor is readable while events wait."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Event]] = deque()
        self._some, self._wake = os.pipe()
        for end in (self._some, self._wake):
            os.set_blocking(end, False)

    def fileno(self) -> int:
        """Return what is readable while events wait."""
        return self._some

    def post(self, number: int, event: Event) -> None:
        """Leave an event; from any thread."""
        self._waiting.append((number, event))
        with contextlib.suppress(OSError):  # the pipe is full, so the reader will wake, or it is closed
            os.write(self._wake, b".")

    def taken(self) -> list[tuple[int, Event]]:
        """Return what waits, in order."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._some, 4096)
        found = []
        while self._waiting:
            found.append(self._waiting.popleft())
        return found


class Watched:
    """One file, by its path: an editor may write into it, or replace it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = stamp_of(path)
        self._resting = True
        self._looked = time.monotonic()

    def was_saved(self) -> bool:
        """Look once more; return whether the file has changed and then stayed the same for two looks: it is complete.

        Called again within `APART` seconds it does not look.
        """
        if time.monotonic() - self._looked < APART:
            return False
        self._looked = time.monotonic()
        now = stamp_of(self._path)
        if now != self._seen:
            self._seen, self._resting = now, False
            return False
        saved, self._resting = not self._resting, True
        return saved


def stamp_of(path: Path) -> tuple[int, int] | None:
    """Return a file's time and size, which a save changes; `None` if the file cannot be read."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


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
        """Check the learner's file of a puzzle, and stop the running job. Returns the new job's number."""
        return self._begin(partial(self._check, puzzle))

    def trace(self, puzzle: Puzzle) -> int:
        """Trace the learner's file, and stop the running job. Returns the new job's number."""
        return self._begin(partial(self._trace, puzzle))

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
                self._inbox.post(number, error)
            finally:
                with self._changed:
                    self._interruptible = False
            with self._changed:
                idle = self._job is None and not self._ended
            if idle:
                with contextlib.suppress(Exception):  # the next check reports it
                    judged(prepare)
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

    def _check(self, puzzle: Puzzle, tell: Tell) -> None:
        asked = time.perf_counter()

        def rechecked(
            items: Sequence[tuple[Puzzle, Submission]], options: CheckOptions, say: Say, cache: Path | None
        ) -> Report:
            return judged(recheck, *items[0], options, progress=tell, stop=self._stop, cache=cache, asked=asked)

        tell("starting" if self._has_checked else "starting: PyTorch and Triton are imported, once")
        self._has_checked = True
        request = Request((str(puzzle.number),), Source(), self._options)
        tell(grade(request, tell, lambda sentence: tell(Noted(sentence)), rechecked))

    def _trace(self, puzzle: Puzzle, tell: Tell) -> None:
        request = Request((str(puzzle.number),), Source(), self._options)
        chosen = select(request, lambda sentence: tell(Noted(sentence)))
        options = CheckOptions("cpu", self._options.seed, self._options.timeout)
        tell(judged(trace, *chosen.items[0], options, progress=tell, stop=self._stop))
