"""Trace a submission: run every CPU case in a worker, and return the ledger of the one that a check shows.

For pictures, a small case is then run once more, access by access.

Importing this module is cheap; torch is imported while the worker starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.hardware.l2 import USUAL
from tritonpuzzles.judge.ambient import one_thread
from tritonpuzzles.judge.options import CheckOptions, seed_of
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.parent import warm_parent
from tritonpuzzles.judge.workers.stop import Stop
from tritonpuzzles.results.accesses import LaunchAccesses, Pairs, Picture
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace, TracedLaunch

if TYPE_CHECKING:
    from tritonpuzzles.judge.drawn import DrawnCase
    from tritonpuzzles.judge.evidence.cases import Evidence
    from tritonpuzzles.judge.verdict.judged import JudgedCase
    from tritonpuzzles.judge.workers.trial import Trial

Progress = Callable[[str], None]


PICTURE = "picture"  # a device: cases that are drawn for pictures alone


def trace(
    puzzle: Puzzle,
    file: Path | Submission,
    options: CheckOptions,
    progress: Progress = lambda _: None,
    picture: bool = False,
    stop: Stop | None = None,
) -> Trace:
    """Run a file on the CPU and return its ledger; nothing is compiled.

    Args:
        puzzle: what the file claims to solve.
        file: the file.
        options: seed and timeout.
        progress: takes short sentences about what is being done.
        picture: also keep a case access by access: the clearest one, with wrong values if there is such a case.
        stop: ends it from another thread.

    Raises:
        StoppedError: if somebody asks for the end.
        WorkerBrokenError: if the grader itself does not work here.
    """
    seed = seed_of(options.seed)
    warm_parent()
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.workers.trial import Trial

    with one_thread(), Crew("cpu", stop=stop) as crew:
        cases = draw(puzzle, seed, "cpu") + (draw(puzzle, seed, PICTURE) if picture else [])
        trial = Trial(puzzle, Submission.of(file), "cpu", cases, options.timeout, progress)
        evidence = trial.gather(crew)
        found = with_cache(conclude(trial, evidence, seed), trial, evidence, crew)
        return with_picture(found, trial, evidence, crew) if picture else found


def conclude(trial: Trial, evidence: Evidence, seed: int) -> Trace:
    """Return the verdict on all cases with the ledger of one."""
    from tritonpuzzles.judge.verdict.decide import judge
    from tritonpuzzles.judge.verdict.limits import with_limits

    result = judge(trial, evidence, seed)
    shown = shown_case(trial, evidence)
    if shown is None:
        return Trace(result)
    drawn, found = shown.drawn, shown.evidence
    launches = [
        TracedLaunch(launch.kernel, launch.grid, launch.programs, launch.largest_tile) for launch in found.launches
    ]
    traffic = tuple(with_limits(trial.puzzle.limits, drawn, found))
    result = replace(result, traffic=traffic, lines=tuple(found.lines))
    operations, scratch = tuple(found.operations), tuple(found.scratch)
    return Trace(result, drawn.name, drawn.shape, drawn.shown_dtype, tuple(launches), operations, scratch)


def with_cache(found: Trace, trial: Trial, evidence: Evidence, crew: Crew) -> Trace:
    """Return the trace with what the usual GPU's L2 cache leaves to DRAM of its case."""
    if found.case is None or evidence.failure is not None:
        return found
    index = next(index for index, drawn in enumerate(trial.cases) if drawn.name == found.case)
    return replace(found, cache=trial.behind_l2(crew, index, USUAL).cache)


def shown_case(trial: Trial, evidence: Evidence) -> JudgedCase | None:
    """Return the case that a check shows; also of a stub, which has read but not written."""
    from tritonpuzzles.judge.verdict.decide import largest_case
    from tritonpuzzles.judge.verdict.judged import JudgedCase
    from tritonpuzzles.judge.verdict.limits import limit_findings

    limits = trial.puzzle.limits
    return largest_case(
        [
            JudgedCase(drawn, found, None, list(limit_findings(limits, drawn, found)))
            for index, found in sorted(evidence.cases.items())
            for drawn in (trial.cases[index],)
        ]
    )


def with_picture(found: Trace, trial: Trial, evidence: Evidence, crew: Crew) -> Trace:
    """Return the trace with a picture of the clearest case, or with why there is none."""
    from tritonpuzzles.judge.verdict.one_case import judge_case
    from tritonpuzzles.judge.verdict.outcomes import outcomes
    from tritonpuzzles.judge.verdict.showcase import clearest_case

    if evidence.failure is not None:
        return replace(found, no_picture="There is no picture: the file did not get to the end of its cases.")
    wrong = {case.name for case in found.result.cases if case.mismatch is not None}
    index = clearest_case(trial, evidence, wrong)
    if index is None:
        return replace(found, no_picture="There is no picture: no case reads or writes anything yet.")
    told = trial.picture(crew, index)
    failure = told.failure or next((case.failure for case in told.cases.values()), None)
    if told.accesses is None:
        why = failure.message if failure else "the second run told nothing."
        return replace(found, no_picture=f"There is no picture: {why}")
    drawn = trial.cases[index]
    judged = judge_case(trial, drawn, evidence.cases[index])
    worst, kinds = outcomes(judged, told.accesses) if drawn.name in wrong else ("", None)
    names = tuple(output.name for output in drawn.outputs)
    launches = tuple(_as_matrices(launch, drawn) for launch in told.accesses)
    if kinds is not None and worst in drawn.matrices:
        kinds = kinds.reshape(drawn.matrices[worst])
    spec = trial.puzzle.pairs
    pairs = Pairs(**vars(spec)) if spec is not None else None
    picture = Picture(drawn.name, drawn.shape, drawn.shown_dtype, launches, names, kinds, worst, pairs)
    return replace(found, picture=picture)


def _as_matrices(launch: LaunchAccesses, drawn: DrawnCase) -> LaunchAccesses:
    """Return a launch whose tensors are drawn as the record says; a part of one is drawn as any other tensor."""
    tensors = (
        replace(tensor, matrix=size) if size is not None and prod(size) == prod(tensor.shape) else tensor
        for tensor in launch.tensors
        for size in (drawn.matrices.get(tensor.role),)
    )
    return replace(launch, tensors=tuple(tensors))
