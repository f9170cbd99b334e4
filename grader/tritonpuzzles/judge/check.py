"""Entry point of the judge: check submissions and return the report.

Importing this module is cheap; torch is imported while the first worker starts, which imports it too.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.judge.checker import Checker, ready_for
from tritonpuzzles.judge.environment import environment, helpers
from tritonpuzzles.judge.options import CheckOptions, Progress
from tritonpuzzles.memory import return_what_is_free
from tritonpuzzles.results.check import PuzzleResult, Report
from tritonpuzzles.results.submission import Submission

Item = tuple[Task, Path | Submission]


def check(
    items: Sequence[Item],  # puzzles, each with the file that claims to solve it
    options: CheckOptions,  # device, seed, timeouts
    progress: Progress = lambda _: None,  # takes short sentences about what is being done
    cache: Path | None = None,  # folder for compiled kernels; Triton's default if `None`
    asked: float | None = None,  # when the user began to wait, on the clock `time.perf_counter`; now if `None`
    alone: bool = True,  # whether no other check uses this machine's cores
) -> Report:
    """Check files and return the report; raises as `ready_for` does, and WorkerBrokenError if no worker starts."""
    began = time.perf_counter() if asked is None else asked
    devices, seed, draws = ready_for((puzzle for puzzle, _ in items), options)
    checker = Checker(options, devices, seed, progress, cache, draws.of, helpers=helpers() if alone else 0)
    imported = time.perf_counter() - began
    results: list[PuzzleResult] = []
    for _, group in groupby(items, lambda item: item[0].stem):
        for puzzle, file in group:
            if results:
                gc.collect()  # cases, their truth and the results refer to each other in cycles: tens of MB
                return_what_is_free()
            results.append(checker.check_file(puzzle, Submission.of(file)))
        draws.let_go(puzzle)
    results[:1] = [replace(first, seconds=first.seconds + imported) for first in results[:1]]  # what the user waits
    return Report(tritonpuzzles.__version__, environment(), tuple(results))
