"""Count what files ask of memory at the shape that their puzzles are timed at, or a smaller one.

Importing this module is cheap; torch is imported while the first worker starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.ambient import one_thread
from tritonpuzzles.judge.inspect import ITEM_SIZES, MOST_WORK, representative
from tritonpuzzles.judge.options import CheckOptions, seed_of
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.parent import warm_parent
from tritonpuzzles.results.inspect import Point
from tritonpuzzles.results.submission import Submission

Progress = Callable[[str], None]
MOST_OPERATIONS = 1 << 30  # of a matrix product, which the interpreter does faster than softmaxes


def points(
    items: Sequence[tuple[Puzzle, Path | Submission]], options: CheckOptions, progress: Progress = lambda _: None
) -> list[Point]:
    """Run each file once on the CPU and return its point; puzzles without a benchmark have none.

    Args:
        items: puzzles, each with the file that claims to solve it.
        options: seed and timeout.
        progress: takes short sentences about what is being done.

    Raises:
        WorkerBrokenError: if the grader itself does not work here.
    """
    seed = seed_of(options.seed)
    timed = [item for item in items if item[0].benchmark and item[0].operations]
    return [_point(puzzle, Submission.of(file), seed, options, progress) for puzzle, file in timed]


def _point(puzzle: Puzzle, file: Submission, seed: int, options: CheckOptions, progress: Progress) -> Point:
    warm_parent()
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.verdict.soundness import unsound
    from tritonpuzzles.judge.workers.trial import Trial

    assert puzzle.benchmark is not None
    most = MOST_WORK if puzzle.benchmark.memory_bound else MOST_OPERATIONS
    cases = tuple(islice(representative(puzzle, seed, most), 1))
    drawn = draw(replace(puzzle, cases=cases, benchmark=None), seed, "cpu")
    names = {**drawn[0].dims, "itemsize": ITEM_SIZES[cases[0].dtype]}
    point = Point(
        puzzle=puzzle.number,
        slug=puzzle.slug,
        file=str(file),
        shape=drawn[0].shape,
        dtype=cases[0].dtype,
        operations=evaluate(puzzle.operations, names),
        work=evaluate(puzzle.benchmark.work, names),
        unit=puzzle.benchmark.unit,
    )
    with one_thread(), Crew("cpu") as crew:
        trial = Trial(puzzle, file, "cpu", drawn, options.timeout, progress)
        evidence = trial.gather(crew)
        problem = unsound(trial, evidence)
    if problem is not None:
        return replace(point, problem=problem.message)
    return replace(point, bytes=evidence.cases[0].moved_bytes)
