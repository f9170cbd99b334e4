"""Check submissions: draw cases, have workers run them, judge the evidence, write the report.

Importing this module is cheap; torch is imported while the first worker starts, which imports it too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import tritonpuzzles
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.environment import environment
from tritonpuzzles.judge.options import CheckOptions, seed_of
from tritonpuzzles.judge.process import WorkerBrokenError
from tritonpuzzles.judge.threads import one_thread
from tritonpuzzles.judge.workers import Workers
from tritonpuzzles.results import Finding, PuzzleResult, Report, Verdict

if TYPE_CHECKING:
    from tritonpuzzles.judge.inputs import Draws

Progress = Callable[[str], None]
Item = tuple[Puzzle, Path]


class NoDeviceError(RuntimeError):
    """A GPU was asked for and there is none."""


def check(
    items: Sequence[Item], options: CheckOptions, progress: Progress = lambda _: None, cache: Path | None = None
) -> Report:
    """Check files and return the report.

    Args:
        items: puzzles, each with the file that claims to solve it.
        options: device, seed, timeouts.
        progress: takes short sentences about what is being done.
        cache: folder for compiled kernels; Triton's default if `None`.

    Raises:
        NoDeviceError: if `options.device` is "cuda" and there is no GPU.
        WorkerBrokenError: if the grader itself does not work here.
    """
    with Workers(cache) as workers:
        workers.prepare("cuda" if options.device == "cuda" else "cpu")
        devices = choose_devices(options.device)
        seed = seed_of(options.seed)
        from tritonpuzzles.judge.inputs import Draws

        checker = Checker(options, devices, seed, workers, progress, cache, Draws(seed))
        results = [
            checker.check_file(puzzle, path.absolute(), is_last=number == len(items))
            for number, (puzzle, path) in enumerate(items, 1)
        ]
        return Report(tritonpuzzles.__version__, environment(), tuple(results))


def choose_devices(asked: str) -> tuple[str, ...]:
    """Return the devices that a check runs on, in order.

    Raises:
        NoDeviceError: if "cuda" is asked for in vain.
    """
    import torch

    present = asked != "cpu" and torch.cuda.is_available()
    if asked == "cuda":
        if not present:
            raise NoDeviceError("PyTorch sees no CUDA device. Use --device cpu, or ask `tritonpuzzles doctor`.")
        return ("cuda",)
    return ("cpu", "cuda") if present else ("cpu",)


@dataclass(frozen=True)
class Checker:
    """Checks one file after the other under the same options, seed and devices."""

    options: CheckOptions
    devices: tuple[str, ...]
    seed: int
    workers: Workers
    progress: Progress
    cache: Path | None
    draws: Draws

    def check_file(self, puzzle: Puzzle, path: Path, is_last: bool) -> PuzzleResult:
        """Check one file on every device; a fault of the grader's own is a result, and the next file is checked.

        Raises:
            WorkerBrokenError: if no worker starts.
        """
        from tritonpuzzles.judge.benchmark import stars
        from tritonpuzzles.judge.verdict import combine

        started = time.perf_counter()
        results: list[PuzzleResult] = []
        try:
            for device, following in self._devices(is_last):
                with one_thread() if device == "cpu" else nullcontext():
                    results.append(self._try(puzzle, path, device, following))
                if results[-1].verdict in (Verdict.ERROR, Verdict.UNSOLVED):
                    break
        except WorkerBrokenError:
            raise
        except Exception as error:
            results.append(self._fault(puzzle, path, error))
        found = combine(results)
        return replace(found, seconds=time.perf_counter() - started, stars=stars(found))

    def _devices(self, is_last: bool) -> list[tuple[str, str | None]]:
        """Return each device with the one that the next trial will need."""
        following = [*self.devices[1:], None if is_last else self.devices[0]]
        return list(zip(self.devices, following, strict=True))

    def _try(self, puzzle: Puzzle, path: Path, device: str, following: str | None) -> PuzzleResult:
        from tritonpuzzles.judge.benchmark import time_on_gpu
        from tritonpuzzles.judge.early import EarlyJudge
        from tritonpuzzles.judge.fitting import fitting
        from tritonpuzzles.judge.trial import Trial
        from tritonpuzzles.judge.verdict import judge

        targets = self.options.targets if device == "cpu" else ()
        cases, too_large = fitting(self.draws.of(puzzle, device))
        trial = Trial(puzzle, path, device, cases, self.options.timeout, self.progress, targets, self.cache)
        with self.workers.take(device, following) as worker, EarlyJudge(trial) as early:
            evidence = trial.gather(worker)
            result = judge(trial, evidence, self.seed, early.case)
            result = replace(result, findings=(*result.findings, *too_large))
            if result.passed and device == "cuda" and self.options.benchmark:
                result = time_on_gpu(trial, worker, evidence, result)
        return result

    def _fault(self, puzzle: Puzzle, path: Path, error: Exception) -> PuzzleResult:
        if self.options.verbose:
            raise error
        text = f"The grader itself failed ({type(error).__name__}: {error}); this says nothing about the file."
        step = f"Run again with --verbose --seed {self.seed}, and report what it prints."
        finding = Finding("grader-fault", text, file=str(path), next_step=step)
        return PuzzleResult(
            puzzle.number, puzzle.slug, str(path), Verdict.INFRA_ERROR, self.devices[0], self.seed, (finding,)
        )
