"""Check the files of many people: several at once, each isolated, with the cases drawn once for all of them.

A file is passed as bytes and is written to its own folder while it is checked. A puzzle's solution is graded before its
files, and again after each grader fault: a machine on which a correct kernel fails must judge nobody.
"""

from __future__ import annotations

import gc
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.judge.checker import Checker, ready_for
from tritonpuzzles.judge.environment import one_thread
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.workers.cards import card_of
from tritonpuzzles.judge.workers.endings import may_be_of_others
from tritonpuzzles.judge.workers.parent import Stop, StoppedError
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.memory import return_what_is_free
from tritonpuzzles.results.check import Confinement, Finding, PuzzleResult, Verdict
from tritonpuzzles.results.speed import Benchmark
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.sandbox import OWN_USER, Scratch

if TYPE_CHECKING:
    from tritonpuzzles.judge.inputs import Draws

USERS = itertools.cycle(range(61184, 65520))  # user ids that systemd reserves for dynamic service users
SIGNALS_SINCE = 6  # the Landlock version that blocks signals to other processes


class NotHeldError(RuntimeError):
    """Nothing isolates one student's file from the others."""


@dataclass(frozen=True)
class Task:
    """One file."""

    number: int  # by which reports refer to it
    puzzle: Puzzle  # the puzzle that it claims to solve
    data: bytes | None  # its contents; `None` if it cannot be read


@dataclass(frozen=True)
class Begun:
    """The check of a file begins now: if this process dies next, the file may be the reason."""

    number: int


@dataclass(frozen=True)
class Done:
    """The result of checking a file; a fault of the grader is `Verdict.INFRA_ERROR`."""

    number: int
    result: PuzzleResult


@dataclass(frozen=True)
class Broken:
    """A puzzle that this machine cannot grade: its solution does not pass, for the reason `why`."""

    puzzle: int
    why: str


Told = Begun | Done | Broken


def check_many(
    tasks: Sequence[Task],  # the files; files of one puzzle must be consecutive, so that its cases are drawn once
    solutions: Mapping[str, bytes],  # of their puzzles, by stem; each must pass first
    options: CheckOptions,  # for every check; with a seed
    jobs: int,  # how many files are checked at once
    progress: Callable[[Told], None],  # takes reports, from any thread
    card: int = 0,  # the number of the GPU to use, where there are several
    beside: bool = False,  # whether files are checked at the same time, here or by another judge
    cache: Path | None = None,  # folder for compiled kernels; none are kept if `None`
    unconfined: bool = False,  # continue where nothing isolates the files
) -> None:
    """Check files, and report each result as soon as it is known.

    Files that are checked at the same time may take memory and time from each other. A result that may come of that is
    not reported: the file is to be checked again, alone.

    Raises as `ready_for` does, and NotHeldError before any file runs if nothing here would isolate it.
    """
    devices, seed, draws = ready_for((task.puzzle for task in tasks), options)
    gc.freeze()  # what is imported holds no case, so collections may skip it
    with closing(Stop()) as stop, one_thread():
        checker = Checker(options, devices, seed, lambda _: None, cache, draws.of, stop=stop)
        if "cuda" in devices:
            checker = replace(checker, card=card_of(card))
        many = _Many(checker, draws, tasks, solutions, progress, beside, unconfined)
        _at_once(many.work(jobs), jobs, stop)


def _at_once(work: Sequence[Callable[[], object]], jobs: int, stop: Stop) -> None:
    """Run work in `jobs` threads; an exception in one ends the others."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for future in as_completed([pool.submit(piece) for piece in work]):
                future.result()
        except BaseException:
            stop.ask()
            pool.shutdown(cancel_futures=True)
            raise


class _Solution:
    """The solution of a puzzle, graded before any file; `look` returns why it does not pass, or `None`."""

    def __init__(self, look: Callable[[], str | None]) -> None:
        self._look, self._lock = look, Lock()
        self._known: tuple[str | None] | None = None

    def fault(self, again: bool = False) -> str | None:
        """Return why it does not pass, or `None`; other threads wait while it is graded."""
        with self._lock:
            if self._known is None or again:
                self._known = (self._look(),)
            return self._known[0]


class _Many:
    """The files of one call of `check_many`, and what they share."""

    def __init__(
        self,
        checker: Checker,
        draws: Draws,
        tasks: Sequence[Task],
        solutions: Mapping[str, bytes],
        tell: Callable[[Told], None],
        beside: bool,
        unconfined: bool,
    ) -> None:
        self._checker, self._draws, self._tasks, self._tell = checker, draws, tasks, tell
        self._texts, self._beside, self._unconfined = solutions, beside, unconfined
        self._left = Counter(task.puzzle.stem for task in tasks)
        self._lock = Lock()
        puzzles = {task.puzzle.stem: task.puzzle for task in tasks}
        self._yardsticks: dict[str, Benchmark] = {}  # by stem, as timed with the solution: the same for all files
        self._solutions = {stem: _Solution(partial(self._look, puzzle)) for stem, puzzle in puzzles.items()}

    def work(self, jobs: int) -> list[Callable[[], object]]:
        """Return the work in order: a solution is graded while the last files of the previous puzzle are checked."""
        found: list[Callable[[], object]] = []
        for stem, group in groupby(self._tasks, lambda task: task.puzzle.stem):
            found.insert(max(0, len(found) - jobs), self._solutions[stem].fault)
            found += [partial(self._check, task) for task in group]
        return found

    def _check(self, task: Task) -> None:
        self._tell(Begun(task.number))
        result = self._result(task)
        if not (self._beside and may_be_of_others(result)):
            self._tell(Done(task.number, result))
        self._let_go(task.puzzle)

    def _result(self, task: Task) -> PuzzleResult:
        """Return a file's result; if the grader fails, grade the solution again and try once more."""
        puzzle, solution = task.puzzle, self._solutions[task.puzzle.stem]
        for again in (False, True):
            if (why := solution.fault(again)) is not None:
                return self._not_graded(puzzle, why)
            result = self._try(puzzle, task.data)
            if result.verdict is not Verdict.INFRA_ERROR:
                break
        return result

    def _try(self, puzzle: Puzzle, data: bytes | None) -> PuzzleResult:
        """Check one text in a private folder, as a separate user if root permits it."""
        user = next(USERS) if os.geteuid() == 0 else None
        try:
            with _alone(puzzle, data, user) as file:
                start = partial(Worker, user=user, card=self._checker.card.name)
                checker = replace(self._checker, start=start, yardsticks=self._yardsticks.get(puzzle.stem))
                return checker.check_file(puzzle, file)
        except (RecordError, StoppedError):
            raise
        except Exception as error:  # no worker starts, or no folder can be made
            return self._not_graded(puzzle, f"{type(error).__name__}: {error}")

    def _look(self, puzzle: Puzzle) -> str | None:
        """Grade a puzzle's solution; return why it fails, or `None`. Raises NotHeldError if nothing isolated it."""
        result = self._try(puzzle, self._texts[puzzle.stem])
        if result.verdict in (Verdict.PASS, Verdict.SKIP):
            if not self._unconfined and (why := not_held(result.confinement)) is not None:
                raise NotHeldError(why)
            if result.benchmark is not None and "suspicious" not in result.benchmark.labels:
                self._yardsticks[puzzle.stem] = result.benchmark
            return None
        first = next((finding.message for finding in result.findings), result.verdict.value)
        why = f"the solution of puzzle {puzzle.number} does not pass on this machine: {first}"
        if not self._beside:  # else it is graded again with the files that wait for it, alone
            self._tell(Broken(puzzle.number, why))
        return why

    def _not_graded(self, puzzle: Puzzle, why: str) -> PuzzleResult:
        seed, device, file = self._checker.seed, self._checker.devices[0], Submission(_name(puzzle), _name(puzzle))
        finding = Finding("grader-fault", f"Not graded: {why}", next_step="Grade again; a second run takes only these.")
        return PuzzleResult(puzzle.number, puzzle.slug, file, Verdict.INFRA_ERROR, device, seed, (finding,))

    def _let_go(self, puzzle: Puzzle) -> None:
        """Free the memory of a checked file; after a puzzle's last file, also its cases."""
        with self._lock:
            self._left[puzzle.stem] -= 1
            if not self._left[puzzle.stem]:
                self._draws.let_go(puzzle)
        gc.collect()  # cases, their truth and the results refer to each other in cycles: tens of MB
        return_what_is_free()


@contextmanager
def _alone(puzzle: Puzzle, data: bytes | None, user: int | None) -> Iterator[Submission]:
    """Write a text to a new folder of mode 700 for the length of a `with` block, under the puzzle's own file name.

    The original file name may contain a student's name, and findings repeat names.
    """
    scratch = Scratch()
    try:
        if data is not None:
            (scratch.path / _name(puzzle)).write_bytes(data)
        scratch.give(user)
        yield Submission(scratch.path / _name(puzzle), _name(puzzle))
    finally:
        scratch.remove()


def _name(puzzle: Puzzle) -> Path:
    return Path(f"{puzzle.stem}.py")


def not_held(confinement: Confinement | None) -> str | None:
    """Return why nothing isolates a file from others' files or processes; `None` if something does."""
    holds = confinement.holds if confinement is not None else ()
    landlock = max((int(name.split()[1]) for name in holds if name.startswith("Landlock ")), default=0)
    own_user = OWN_USER in holds
    lacking = []
    if not (landlock or own_user):
        lacking.append("files")
    if not (landlock >= SIGNALS_SINCE or own_user or "a PID namespace" in holds):
        lacking.append("processes")
    if not lacking:
        return None
    missing = f": {'; '.join(confinement.missing)}" if confinement is not None and confinement.missing else ""
    return f"Nothing here keeps the {' and '.join(lacking)} of one student from those of another{missing}."
