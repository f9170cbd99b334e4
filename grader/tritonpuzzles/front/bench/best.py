"""A learner's best speeds: one per GPU, dtype and shape, kept with the progress."""

from __future__ import annotations

from tritonpuzzles.front.progress import BestSpeed
from tritonpuzzles.sweeping import Contender, Sweep


def best_speeds(sweep: Sweep, contender: Contender, before: tuple[BestSpeed, ...]) -> tuple[BestSpeed, ...]:
    """Return a learner's best rates after a sweep: the better of old and new per GPU, dtype and shape."""
    best = {speed.key: speed for speed in before}
    for found in _speeds(sweep, contender):
        if found.key not in best or best[found.key].rate < found.rate:
            best[found.key] = found
    return tuple(best.values())


def best_at(sweep: Sweep, before: tuple[BestSpeed, ...]) -> list[float | None]:
    """Return the learner's best rate so far at each point of a sweep."""
    known = {speed.key: speed.rate for speed in before}
    return [known.get((_device(sweep), sweep.dtype, point.shape)) for point in sweep.points]


def _speeds(sweep: Sweep, contender: Contender) -> list[BestSpeed]:
    pairs = zip(sweep.points, contender.speeds, strict=True)
    return [
        BestSpeed(_device(sweep), sweep.dtype, point.shape, speed.rate)
        for point, speed in pairs
        if speed.counted and speed.rate is not None
    ]


def _device(sweep: Sweep) -> str:
    return str(sweep.environment.get("gpu"))
