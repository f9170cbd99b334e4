"""A learner's best speeds: one per GPU, dtype and shape, kept with the progress."""

from __future__ import annotations

from tritonpuzzles.front.workspace.progress import BestSpeed
from tritonpuzzles.results.bench import Bench, Contender


def best_speeds(bench: Bench, contender: Contender, before: tuple[BestSpeed, ...]) -> tuple[BestSpeed, ...]:
    """Return a learner's best rates after a bench: the better of old and new per GPU, dtype and shape."""
    best = {speed.key: speed for speed in before}
    for found in _speeds(bench, contender):
        if found.key not in best or best[found.key].rate < found.rate:
            best[found.key] = found
    return tuple(best.values())


def best_at(bench: Bench, before: tuple[BestSpeed, ...]) -> list[float | None]:
    """Return the learner's best rate so far at each point of a bench."""
    known = {speed.key: speed.rate for speed in before}
    return [known.get((_device(bench), bench.dtype, point.shape)) for point in bench.points]


def _speeds(bench: Bench, contender: Contender) -> list[BestSpeed]:
    pairs = zip(bench.points, contender.speeds, strict=True)
    return [
        BestSpeed(_device(bench), bench.dtype, point.shape, speed.rate)
        for point, speed in pairs
        if speed.counted and speed.rate is not None
    ]


def _device(bench: Bench) -> str:
    return str(bench.environment.get("gpu"))
