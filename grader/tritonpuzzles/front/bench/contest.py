"""Who competes: the file that was asked for, the shipped solution, the tuned one; and a learner's best speeds so far.

These are kept with the progress, one per GPU, dtype and shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Request, Say, Selection, Source, select
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import BestSpeed, Progress
from tritonpuzzles.front.workspace.shipped import has_solutions, solution_file, tuned_file
from tritonpuzzles.front.workspace.state import Entries
from tritonpuzzles.judge.bench import BenchOptions, Entrant, NoBenchError, run_benches
from tritonpuzzles.results.bench import Bench, Contender
from tritonpuzzles.results.submission import Submission

YOURS, SOLUTION, TUNED = "yours", "solution", "tuned"
MAX_NAME = 16


def best_speeds(bench: Bench, contender: Contender, before: tuple[BestSpeed, ...]) -> tuple[BestSpeed, ...]:
    """Return a learner's best rates after a bench: the better of old and new per GPU, dtype and shape."""
    best = {speed.key: speed for speed in before}
    for point, speed in zip(bench.points, contender.speeds, strict=True):
        if speed.counted_rate is not None:
            found = BestSpeed(_device(bench), bench.dtype, point.shape, speed.counted_rate)
            if found.key not in best or best[found.key].rate < found.rate:
                best[found.key] = found
    return tuple(best.values())


def best_at(bench: Bench, before: tuple[BestSpeed, ...]) -> list[float | None]:
    """Return the learner's best rate so far at each point of a bench."""
    known = {speed.key: speed.rate for speed in before}
    return [known.get((_device(bench), bench.dtype, point.shape)) for point in bench.points]


def _device(bench: Bench) -> str:
    return str(bench.environment.get("gpu"))


@dataclass(frozen=True)
class Contest:
    """What is to be timed: one puzzle, or every puzzle of the ladder."""

    selection: Selection
    source: Source
    ladder: bool

    @staticmethod
    def of(name: str | None, source: Source, ladder: bool) -> Contest:
        """Return the contest that a command line means; without N, the next unsolved puzzle.

        The ladder is without the puzzles that are timed at one size only, or not at all.

        Raises:
            FrontError: if it means several puzzles, or none.
        """
        names = ("all",) if ladder else (name,) if name is not None else ()
        selection = select(Request(names, source))
        if ladder:
            timed = tuple(item for item in selection.items if item[0].benchmark and item[0].benchmark.bench)
            if not timed:
                raise FrontError("No puzzle of this pack is timed at several sizes.", "tritonpuzzles docs packs")
            selection = replace(selection, items=timed)
        elif len(selection.items) != 1:
            raise FrontError(f"bench takes one puzzle, not {len(selection.items)}.", "tritonpuzzles bench 3")
        return Contest(selection, source, ladder)

    def run(self, options: BenchOptions, say: Say) -> list[Bench]:
        """Time everything.

        Raises:
            FrontError: if a puzzle cannot be timed as asked.
            RuntimeError: if the grader itself does not work here.
        """
        needed = None if self.ladder else name_of(self.source)
        entered = [(puzzle, entrants(puzzle, self.source, file)) for puzzle, file in self.selection.items]
        try:
            return judged(run_benches, entered, options, needed, progress=say, cache=self.selection.cache)
        except NoBenchError as error:
            raise FrontError(str(error), "tritonpuzzles bench --help") from error

    @property
    def puzzles(self) -> tuple[Puzzle, ...]:
        """What is timed, in order."""
        return tuple(puzzle for puzzle, _ in self.selection.items)

    def right(self, bench: Bench) -> bool:
        """Return whether the requested file is right at every size; for the ladder, whether the solution is."""
        found = bench.contender("solution" if self.ladder else name_of(self.source))
        return found is not None and found.right

    def best_before(self) -> dict[int, tuple[BestSpeed, ...]]:
        """Return the learner's best speeds so far, by puzzle; of other files there are none."""
        state = self.selection.state
        if state is None or not self.source.own:
            return {}
        entries = state.read()
        return {puzzle.number: entries[puzzle.slug].speeds for puzzle in self.puzzles if puzzle.slug in entries}

    def remember(self, benches: Sequence[Bench]) -> None:
        """Keep the learner's best speeds; a solution that is swapped in is not theirs."""
        state, workspace = self.selection.state, self.selection.workspace
        if state is None or workspace is None or not self.source.own:
            return
        find = self.selection.curriculum.find
        theirs = [bench for bench in benches if not is_swapped(workspace, find(str(bench.puzzle)))]

        def change(entries: Entries) -> None:
            for bench in theirs:
                contender = bench.contender(name_of(self.source))
                entry = entries.get(bench.slug, Progress())
                if contender is not None and any(speed.counted_rate is not None for speed in contender.speeds):
                    entries[bench.slug] = replace(entry, speeds=best_speeds(bench, contender, entry.speeds))

        state.update(change)


def entrants(puzzle: Puzzle, source: Source, file: Submission) -> list[Entrant]:
    """Return the files of a bench, the requested one first; a student edition has no others.

    Raises:
        FrontError: if the installation has no solution.
    """
    if not (has_solutions() or source.solution):
        return [Entrant(name_of(source), file)]
    tuned = tuned_file(puzzle)
    shipped = [Entrant(SOLUTION, Submission.of(solution_file(puzzle)))]
    shipped += [Entrant(TUNED, Submission.of(tuned))] if tuned is not None else []
    return shipped if source.solution else [Entrant(name_of(source), file), *shipped]


def name_of(source: Source) -> str:
    """Return what a source's file is called in tables: `yours`, `attempt.py`, `class/`."""
    if source.own:
        return YOURS
    if source.solution:
        return SOLUTION
    name = one_line(source.file.name) if source.file is not None else f"{one_line((source.folder or Path()).name)}/"
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
