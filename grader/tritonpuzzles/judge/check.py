"""Check submissions: draw cases, have workers run them, judge the evidence, write the report.

Importing this module is cheap; torch is imported while the first worker starts, which imports it too.
"""

from __future__ import annotations

import platform
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tritonpuzzles
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.process import Worker
from tritonpuzzles.results import PuzzleResult, Report

if TYPE_CHECKING:
    from tritonpuzzles.judge.evidence import Evidence

TARGETS = ("sm_80", "sm_90")
Progress = Callable[[str], None]
Item = tuple[Puzzle, Path]


class NoDeviceError(RuntimeError):
    """A GPU was asked for and there is none."""


class Workers:
    """Hands out one fresh worker per trial, and starts the next one ahead so that its imports cost no waiting."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._spare: tuple[str, Worker] | None = None

    def prepare(self, device: str) -> None:
        """Start a worker that the next `take` of the same device will get."""
        if self._spare is None:
            self._spare = (device, Worker(device, self._cache))

    @contextmanager
    def take(self, device: str, following: str | None = None) -> Iterator[Worker]:
        """Yield a worker and end it afterwards; start one for the device that follows meanwhile."""
        if self._spare is not None and self._spare[0] != device:
            self.close()
        self.prepare(device)
        assert self._spare is not None
        worker, self._spare = self._spare[1], None
        try:
            if following is not None:
                self.prepare(following)
            yield worker
        finally:
            worker.close()

    def close(self) -> None:
        """End the spare worker, if there is one."""
        if self._spare is not None:
            self._spare[1].close()
            self._spare = None


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
    workers = Workers(cache)
    workers.prepare("cuda" if options.device == "cuda" else "cpu")
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(31)
    try:
        devices = choose_devices(options.device)
        plan = [(puzzle, path, device) for puzzle, path in items for device in devices]
        results = []
        for number, (puzzle, path) in enumerate(items):
            following = [device for _, _, device in plan[number * len(devices) + 1 :]]
            results.append(_check_one(puzzle, path.absolute(), devices, following, seed, options, workers, progress))
        return Report(tritonpuzzles.__version__, environment(), tuple(results))
    finally:
        workers.close()


def choose_devices(asked: str) -> tuple[str, ...]:
    """Return the devices that a check runs on, in order.

    Raises:
        NoDeviceError: if "cuda" is asked for in vain.
    """
    import torch

    present = asked != "cpu" and torch.cuda.is_available()
    if asked == "cuda":
        if not present:
            raise NoDeviceError(
                "PyTorch sees no CUDA device. Use --device cpu, or ask `tritonpuzzles doctor`."
            )
        return ("cuda",)
    return ("cpu", "cuda") if present else ("cpu",)


def _check_one(
    puzzle: Puzzle,
    path: Path,
    devices: tuple[str, ...],
    following: list[str],
    seed: int,
    options: CheckOptions,
    workers: Workers,
    progress: Progress,
) -> PuzzleResult:
    from tritonpuzzles.judge.benchmark import time_on_gpu
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.trial import Trial
    from tritonpuzzles.judge.verdict import combine, judge

    started = time.perf_counter()
    results: list[PuzzleResult] = []
    for index, device in enumerate(devices):
        trial = Trial(puzzle, path, device, draw(puzzle, seed, device), options.timeout, progress)
        if device == "cpu":
            trial.targets = TARGETS
        with workers.take(device, following[index] if index < len(following) else None) as worker:
            evidence: Evidence = trial.gather(worker)
            result = judge(trial, evidence, seed)
            if result.passed and device == "cuda" and options.benchmark:
                result = time_on_gpu(trial, worker, evidence, result)
        results.append(result)
        if result.verdict.value in ("error", "unsolved"):
            break
    return combine(results, time.perf_counter() - started)


def environment() -> dict[str, Any]:
    """Return the versions and the GPU that a report rests on."""
    import torch

    found: dict[str, Any] = {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: _version(name) for name in ("torch", "triton", "numpy")},
        "gpu": None,
    }
    if "torch" in sys.modules and torch.cuda.is_available():
        found["gpu"] = torch.cuda.get_device_name(0)
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
