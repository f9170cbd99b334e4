"""Trace a submission: run every CPU case in a worker, and return the ledger of one case.

For pictures that case runs once more, with every access recorded.

Importing this module is cheap; torch is imported while the worker starts.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.hardware.l2 import USUAL
from tritonpuzzles.judge.environment import one_thread
from tritonpuzzles.judge.options import CheckOptions, Progress, seed_of
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.parent import Stop, warm_parent
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.cover import named_case
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import LaunchAccesses, Pairs, Picture, Trace, TracedLaunch, folded

if TYPE_CHECKING:
    from tritonpuzzles.judge.drawn import DrawnCase
    from tritonpuzzles.judge.evidence.cases import Evidence
    from tritonpuzzles.judge.verdict.showcase import Shown
    from tritonpuzzles.judge.workers.trial import Trial

PICTURE = "picture"  # a device name: cases that are drawn for pictures only


def trace(
    puzzle: Puzzle,  # what the file claims to solve
    file: Path | Submission,
    # seed, timeout, and the case to show; without one, the case that a check's report would name, and if the file
    # passes the largest
    options: CheckOptions,
    progress: Progress = lambda _: None,  # takes short sentences about what is being done
    picture: bool = False,  # also record that case access by access; if no case is named, it is then the clearest one
    stop: Stop | None = None,  # ends it from another thread
) -> Trace:
    """Run a file on the CPU and return the ledger of one case; nothing is compiled.

    Raises StoppedError if the user stops it, and WorkerBrokenError if the grader itself does not work here.
    """
    seed = seed_of(options.seed)
    warm_parent()
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.verdict.showcase import Shown, case_to_draw, case_to_tell
    from tritonpuzzles.judge.workers.trial import Trial

    with one_thread(), Crew("cpu", stop=stop) as crew:
        checked = draw(puzzle, seed, "cpu")
        cases = checked + (draw(puzzle, seed, PICTURE) if picture else [])
        trial = Trial(puzzle, Submission.of(file), "cpu", cases, options.timeout, progress)
        evidence = trial.gather(crew)
        result = verdict(trial, evidence, len(checked), seed)
        named = options.case or named_case(result)
        draws = picture and evidence.failure is None
        shown = case_to_draw(trial, evidence, result, named) if draws else Shown(None)
        told = shown.index if shown.index is not None else case_to_tell(trial, evidence, named)
        found = Trace(result) if told is None else with_ledger(Trace(result), trial, told, evidence)
        if told is not None and evidence.failure is None:
            found = replace(found, cache=trial.behind_l2(crew, told, USUAL).cache)
        return with_picture(found, trial, shown, evidence, crew) if picture else found


def verdict(trial: Trial, evidence: Evidence, checked: int, seed: int) -> PuzzleResult:
    """Return the result of a check: the cases from index `checked` on, drawn for pictures, are ignored."""
    from tritonpuzzles.judge.verdict.decide import judge

    known = {index: found for index, found in evidence.cases.items() if index < checked}
    seen = replace(evidence, cases=known)
    return judge(replace(trial, cases=trial.cases[:checked]), seen, seed)


def with_ledger(found: Trace, trial: Trial, index: int, evidence: Evidence) -> Trace:
    """Add the ledger of one case to a trace."""
    from tritonpuzzles.judge.verdict.traffic import with_limits

    drawn, told = trial.cases[index], evidence.cases[index]
    launches = [
        TracedLaunch(launch.kernel, launch.grid, launch.programs, launch.largest_tile) for launch in told.launches
    ]
    traffic = tuple(with_limits(trial.task.limits, drawn, told))
    return replace(
        found,
        result=replace(found.result, traffic=traffic, traffic_case=drawn.name, lines=tuple(told.lines)),
        case=drawn.name,
        shape=drawn.shape,
        dtype=drawn.shown_dtype,
        launches=tuple(launches),
        operations=tuple(told.operations),
        scratch=tuple(told.scratch),
    )


def with_picture(found: Trace, trial: Trial, shown: Shown, evidence: Evidence, crew: Crew) -> Trace:
    """Add a picture of one case to a trace, or the reason why there is none."""
    from tritonpuzzles.judge.verdict.one_case import judge_case
    from tritonpuzzles.judge.verdict.showcase import outcomes

    if evidence.failure is not None:
        return replace(found, no_picture="There is no picture: the file did not get to the end of its cases.")
    if shown.index is None:
        nothing = "There is no picture: no case reads or writes anything yet."
        return replace(found, no_picture=shown.why or nothing)
    told = trial.picture(crew, shown.index)
    failure = told.failure or next((case.failure for case in told.cases.values()), None)
    if told.accesses is None:
        why = failure.message if failure else "the second run reported nothing."
        return replace(found, no_picture=f"There is no picture: {why}")
    drawn = trial.cases[shown.index]
    judged = judge_case(trial, drawn, evidence.cases[shown.index])
    worst, kinds = outcomes(judged, told.accesses) if judged.is_wrong else ("", None)
    names = tuple(output.name for output in drawn.outputs)
    launches = tuple(_as_matrices(launch, drawn) for launch in told.accesses)
    if kinds is not None and worst in drawn.matrices:
        kinds = kinds.reshape(drawn.matrices[worst])
    spec = trial.task.pairs
    pairs = Pairs(**vars(spec)) if spec is not None else None
    picture = Picture(drawn.name, drawn.shape, drawn.shown_dtype, launches, names, kinds, worst, pairs)
    return replace(found, picture=picture, instead=shown.why)


def _as_matrices(launch: LaunchAccesses, drawn: DrawnCase) -> LaunchAccesses:
    """Return a launch whose tensors are drawn as the matrices of the record; parts of tensors keep their own shape.

    Tiles are dropped where a tensor's matrix is another one, because their place in it is unknown.
    """
    tensors = tuple(
        replace(tensor, matrix=size) if size is not None and prod(size) == prod(tensor.shape) else tensor
        for tensor in launch.tensors
        for size in (drawn.matrices.get(tensor.role),)
    )
    tiles = tuple(one for one in launch.tiles if tensors[one.tensor].size == folded(tensors[one.tensor].shape))
    return replace(launch, tensors=tensors, tiles=tiles)
