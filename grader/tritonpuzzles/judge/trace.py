"""Trace a submission: run every CPU case in a worker, and return the ledger of the one that a check shows.

Importing this module is cheap; torch is imported while the worker starts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.threads import one_thread
from tritonpuzzles.judge.workers import Workers
from tritonpuzzles.tracing import Trace, TracedLaunch

if TYPE_CHECKING:
    from tritonpuzzles.judge.cases import JudgedCase
    from tritonpuzzles.judge.evidence import Evidence
    from tritonpuzzles.judge.trial import Trial

Progress = Callable[[str], None]


def trace(puzzle: Puzzle, path: Path, options: CheckOptions, progress: Progress = lambda _: None) -> Trace:
    """Run a file on the CPU and return its ledger; nothing is compiled.

    Args:
        puzzle: what the file claims to solve.
        path: the file.
        options: seed and timeout.
        progress: takes short sentences about what is being done.

    Raises:
        WorkerBrokenError: if the grader itself does not work here.
    """
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(31)
    workers = Workers(None)
    try:
        workers.prepare("cpu")
        from tritonpuzzles.judge.inputs import draw
        from tritonpuzzles.judge.trial import Trial

        with one_thread(), workers.take("cpu") as worker:
            trial = Trial(puzzle, path, "cpu", draw(puzzle, seed, "cpu"), options.timeout, progress)
            return conclude(trial, trial.gather(worker), seed)
    finally:
        workers.close()


def conclude(trial: Trial, evidence: Evidence, seed: int) -> Trace:
    """Return the verdict on all cases with the ledger of one."""
    from tritonpuzzles.judge.limits import with_limits
    from tritonpuzzles.judge.verdict import judge

    result = judge(trial, evidence, seed)
    shown = shown_case(trial, evidence)
    if shown is None:
        return Trace(result)
    drawn, found = shown.drawn, shown.evidence
    launches = [
        TracedLaunch(launch.kernel, launch.grid, launch.programs, launch.largest_tile) for launch in found.launches
    ]
    traffic = tuple(with_limits(trial.puzzle.limits, drawn, found.traffic))
    result = replace(result, traffic=traffic, lines=tuple(found.lines))
    operations, scratch = tuple(found.operations), tuple(found.scratch)
    return Trace(result, drawn.name, drawn.shape, drawn.case.dtype, tuple(launches), operations, scratch)


def shown_case(trial: Trial, evidence: Evidence) -> JudgedCase | None:
    """Return the case that a check shows; also of a stub, which has read but not written."""
    from tritonpuzzles.judge.cases import JudgedCase
    from tritonpuzzles.judge.limits import limit_findings
    from tritonpuzzles.judge.verdict import largest_case

    limits = trial.puzzle.limits
    return largest_case(
        [
            JudgedCase(drawn, found, None, list(limit_findings(limits, drawn, found)))
            for index, found in sorted(evidence.cases.items())
            for drawn in (trial.cases[index],)
        ]
    )
