"""Grade a class: have judges check the new files, keep each result as it arrives, and continue if a judge dies.

There is a judge for each GPU: one process, which shares its interpreter between all files, keeps one GPU busy, not two.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tritonpuzzles.front import console
from tritonpuzzles.front.classroom.grading.boiled import DEADLINE, boiled, for_instructor, handed_in_by, reaching
from tritonpuzzles.front.classroom.grading.planned import How, Piece
from tritonpuzzles.front.classroom.grading.records import Append
from tritonpuzzles.front.classroom.model import ClassSettings, Outcome, Submitted
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.judge_process import JudgeEndedError, JudgeProcess, judged, judges
from tritonpuzzles.front.text import some
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.shipped import solution_file
from tritonpuzzles.judge.environment import gpu_count
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

if TYPE_CHECKING:
    from tritonpuzzles.judge.many import Task, Told

MOST_HIDDEN = 4  # notes on hidden cases
MOST_ENDS = 12  # ends of the judge's process before the run gives up on all files left
EVERY_SECONDS = 10.0  # between lines in a log, where a line per file would be too many
FEW = 3  # files that are named


def solutions(settings: ClassSettings, stems: Collection[str]) -> dict[str, bytes]:
    """Return the text of each puzzle's solution; it must pass before any student's file is graded.

    Raises:
        FrontError: if one is not there.
    """
    found = {}
    for puzzle in (assigned.puzzle for assigned in settings.assigned if assigned.puzzle.stem in stems):
        folder = settings.solutions
        path = solution_file(puzzle) if folder is None else folder / f"{puzzle.stem}.py"
        try:
            found[puzzle.stem] = read_small(path)
        except OSError as error:
            told = f"The solution of puzzle {puzzle.number} cannot be read: {error}."
            raise FrontError(told, f"put {puzzle.stem}.py into the folder of solutions") from error
    return found


def run(
    groups: Sequence[Sequence[Piece]],
    texts: Mapping[str, bytes],
    options: CheckOptions,
    how: How,
    cache: Path,
    append: Append,
) -> tuple[list[Outcome], tuple[str, ...]]:
    """Grade groups of files, each with one text and puzzle, by one check per group, and append a line for each file.

    `texts` are those of the solutions, by stem; `cache` is a folder for compiled kernels.

    Returns:
        The outcomes, and sentences about puzzles that this machine does not grade.

    Raises:
        FrontError: if no sandbox here isolates the files.
        RecordError: if a record of the pack is inconsistent.
        RuntimeError: if the grader itself does not work here.
    """
    with _progress() as say:
        running = _Running(dict(enumerate(groups)), texts, options, how, cache, append, say, judges_for(options))
        while running.left:
            running.round()
    return running.outcomes, tuple(running.broken.values())


def judges_for(options: CheckOptions) -> int:
    """Return how many judges a run has: one for each GPU that it uses, and one where it uses none."""
    return max(1, 0 if options.device == "cpu" else judged(gpu_count))


@dataclass
class _Running:
    """The state of a run: files left, files being checked, files to be checked alone, and outcomes."""

    left: dict[int, Sequence[Piece]]
    texts: Mapping[str, bytes]
    options: CheckOptions
    how: How
    cache: Path
    append: Append
    say: Callable[[str], None]
    judges: int
    now: dict[int, Submitted] = field(default_factory=dict)
    alone: list[int] = field(default_factory=list)  # others may have disturbed them, or one of them may end a judge
    outcomes: list[Outcome] = field(default_factory=list)
    broken: dict[int, str] = field(default_factory=dict)
    ends: int = 0  # rounds in which a judge's process ended
    began: float = field(default_factory=time.monotonic)
    taking: Lock = field(default_factory=Lock)  # messages of several judges

    def round(self) -> None:
        """Have the judges check the files to be checked alone, or else all that are left, and survive their end."""
        from tritonpuzzles.judge.many import Task

        firsts = {number: self.left[number][0] for number in self.alone or self.left}
        tasks = [Task(number, first.submitted.puzzle, first.data) for number, first in firsts.items()]
        jobs = 1 if self.alone else self.how.jobs
        asked = judges(min(self.judges, jobs, len(tasks)))
        with ThreadPoolExecutor(len(asked)) as pool:
            parts = [(judge, card, tasks[card :: len(asked)]) for card, judge in enumerate(asked)]
            running = [pool.submit(self._ask, *part, -(-jobs // len(asked)), jobs > 1) for part in parts]
            try:
                ends = [why for one in as_completed(running) if (why := one.result())]
            except BaseException:
                for judge in asked:
                    judge.end()
                raise
        self._after_round(ends)

    def _ask(self, judge: JudgeProcess, card: int, tasks: Sequence[Task], jobs: int, beside: bool) -> str:
        """Have one judge check its files; return why its process ended before it was done, or nothing."""
        from tritonpuzzles.judge.many import NotHeldError, check_many

        try:
            judge.ask(
                check_many,
                tasks,
                self.texts,
                self.options,
                jobs=jobs,
                progress=self._take,
                card=card,
                beside=beside,
                cache=self.cache,
                unconfined=self.how.unconfined,
            )
        except NotHeldError as error:
            step = "grade in a container or on Linux 6.12 or newer, or add --unconfined if you trust every file"
            raise FrontError(str(error), step) from error
        except JudgeEndedError as error:
            return str(error)
        return ""

    def _take(self, told: Told) -> None:
        """Handle one message of the judge about a file or a puzzle."""
        from tritonpuzzles.judge.many import Begun, Broken, Done

        with self.taking:
            match told:
                case Begun(number):
                    self.now[number] = self.left[number][0].submitted
                    self.say(self._sentence())
                case Done(number, result):
                    self._keep(number, result)
                case Broken(puzzle, why):
                    self.broken[puzzle] = why

    def _keep(self, number: int, result: PuzzleResult) -> None:
        """Append the lines of a checked text: one for each file that holds it."""
        group = self.left.pop(number)
        first = group[0]
        flags = reaching(first.data or b"")
        if any(finding.code == "timeout" for finding in result.findings):
            flags += ((DEADLINE, "It was ended at the deadline."),)
        flags += for_instructor(result, first.submitted.puzzle)[:MOST_HIDDEN]
        outcome = replace(boiled(result, first.submitted, first.key, first.sha256), flags=flags)
        for piece in group:
            found = handed_in_by(piece.submitted, outcome)
            self.append(found)
            self.outcomes.append(found)
        if number in self.alone:
            self.alone.remove(number)
        self.now.pop(number, None)
        self.say(self._sentence())

    def _after_round(self, ends: Sequence[str]) -> None:
        """Have the files that were begun and not reported checked alone; give up those that end a judge even then."""
        begun = [number for number in self.now if number in self.left]
        self.now.clear()
        if ends:
            self.ends += 1
            for number in [*self.left] if self.ends >= MOST_ENDS else begun if self.alone else ():
                self._keep(number, self._fault(self.left[number][0], f"Not graded: {ends[0]}"))
        self.alone += [number for number in begun if number in self.left and number not in self.alone]

    def _fault(self, piece: Piece, told: str) -> PuzzleResult:
        puzzle, options = piece.submitted.puzzle, self.options
        file = Submission(piece.submitted.file, piece.submitted.file)
        device = "cuda" if options.device == "cuda" else "cpu"
        finding = Finding("grader-fault", told, next_step="Grade again; a second run takes only these.")
        verdict = Verdict.INFRA_ERROR
        return PuzzleResult(puzzle.number, puzzle.slug, file, verdict, device, options.seed or 0, (finding,))

    def _sentence(self) -> str:
        """Return "37 of 118 graded, 41 a minute, 2 min left: p03 of ada, p04 of bob"."""
        graded, left = len(self.outcomes), sum(map(len, self.left.values()))
        said = f"{graded} of {graded + left} graded"
        seconds = time.monotonic() - self.began
        if graded and seconds > 1:
            said += f", {60 * graded / seconds:.0f} a minute, {_length(left * seconds / graded)} left"
        named = [f"p{one.puzzle.number:02d} of {one.student}" for one in self.now.values()]
        return f"{said}: {some(named, FEW)}" if named else said


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that prints a run's progress to stderr; into a log it prints at most every ten seconds."""
    watched = console.stderr().is_terminal
    with console.status_line(verbose=True) as line:
        said = -EVERY_SECONDS

        def say(sentence: str) -> None:
            nonlocal said
            if watched or time.monotonic() - said >= EVERY_SECONDS:
                said = time.monotonic()
                line(sentence)

        yield say


def _length(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
