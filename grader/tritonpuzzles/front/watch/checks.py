"""The thread that checks: one thing at a time, the newest only, and the next check begun while nobody waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.grading import Request, Source, grade, select
from tritonpuzzles.front.watch.events import Broke, Checked, Doing, Event, Inbox, Known, Noted, Traced
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers.stop import Stop, StoppedError
from tritonpuzzles.results.check import Report
from tritonpuzzles.results.submission import Submission

if TYPE_CHECKING:
    from tritonpuzzles.judge.recheck import Rechecker

Tell = Callable[[Event], None]
Job = Callable[[Tell], None]
END_SECONDS = 3.0


class Checks:
    """A thread with the judge in it, from `start` to `end`.

    Args:
        options: of every check.
        inbox: where events go, with the number that `check` or `trace` returned.
    """

    def __init__(self, options: CheckOptions, inbox: Inbox) -> None:
        self._options, self._inbox = options, inbox
        self._stop = Stop()
        self._changed = threading.Condition()
        self._job: tuple[int, Job] | None = None
        self._number = 0
        self._interruptible = self._ended = False
        self._rechecker: tuple[Puzzle, Rechecker] | None = None
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
                job(partial(self._inbox.post, number))
            except StoppedError:
                continue
            except Exception as error:
                self._inbox.post(number, Broke(error))
            finally:
                with self._changed:
                    self._interruptible = False
            self._prepare()
        self._close()

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
            if self._job is not None or self._ended or self._rechecker is None:
                return
        try:
            self._rechecker[1].prepare()
        except Exception:  # the check itself will say so
            self._close()

    def _check(self, puzzle: Puzzle, tell: Tell) -> None:
        def judged(
            items: Sequence[tuple[Puzzle, Submission]], options: CheckOptions, say: Any, cache: Path | None
        ) -> Report:
            rechecker = self._rechecker_of(*items[0], cache)
            return rechecker.check(say, lambda found: tell(Known(found)))

        first = self._rechecker is None
        tell(Doing("starting: PyTorch and Triton are imported, once" if first else "starting"))
        request = Request((str(puzzle.number),), Source(), self._options)
        graded = grade(request, lambda s: tell(Doing(s)), lambda s: tell(Noted(s)), judged)
        tell(Checked(graded))

    def _trace(self, puzzle: Puzzle, tell: Tell) -> None:
        from tritonpuzzles.judge.trace import trace

        chosen = select(Request((str(puzzle.number),), Source(), self._options), lambda s: tell(Noted(s)))
        options = CheckOptions("cpu", self._options.seed, self._options.timeout)
        tell(Traced(trace(*chosen.items[0], options, lambda s: tell(Doing(s)), stop=self._stop)))

    def _rechecker_of(self, puzzle: Puzzle, file: Submission, cache: Path | None) -> Rechecker:
        from tritonpuzzles.judge.recheck import Rechecker

        if self._rechecker is None or self._rechecker[0] is not puzzle:
            self._close()
            self._rechecker = puzzle, Rechecker(puzzle, file, self._options, cache, self._stop)
        return self._rechecker[1]

    def _close(self) -> None:
        if self._rechecker is not None:
            self._rechecker[1].close()
            self._rechecker = None
