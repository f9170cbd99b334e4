"""What a bench says in sentences: means over sizes, not a rate that was picked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from tritonpuzzles.front.text import one_line, percent, significant
from tritonpuzzles.results.bench import Bench, BenchPoint, Contender, Speed
from tritonpuzzles.results.words import plural

LARGE_BYTES = 128 << 20  # read and written: tensors of 64 MiB, which no L2 cache holds


def sentences(bench: Bench, best: Sequence[float | None]) -> Iterator[str]:
    """Yield what the first file's speeds say beside the others', beside its bytes, and beside the learner's best."""
    first, *others = bench.contenders
    wanted = _large(bench)
    ratios = {one_line(other.name): mean_ratio(first, other.speeds, wanted) for other in others}
    parts = [f"{significant(ratio)}x {name}" for name, ratio in ratios.items() if ratio is not None]
    if parts:
        yield f"{_over(bench, wanted)}, {one_line(first.name)} runs at {', '.join(parts)} (geometric mean)."
    yield from _of_limits(bench, first, wanted)
    yield from _against_best(first, best)


def mean_ratio(first: Contender, others: Sequence[Speed], wanted: Sequence[int]) -> float | None:
    """Return the geometric mean of one contender's rates over another's; `None` where no size has both."""
    pairs = [(first.speeds[index], others[index]) for index in wanted]
    return geometric_mean([a.rate / b.rate for a, b in pairs if a.counted and b.counted and a.rate and b.rate])


def geometric_mean(ratios: Sequence[float]) -> float | None:
    """Return the mean of ratios that treats 2 and 1/2 alike; `None` of nothing."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def _large(bench: Bench) -> list[int]:
    """Return the points that say most of a kernel: past the caches, or all where bytes do not decide or none are."""
    everything = list(range(len(bench.points)))
    large = [index for index in everything if bench.points[index].minimum_bytes >= LARGE_BYTES]
    return large if bench.memory_bound and large else everything


def _over(bench: Bench, wanted: Sequence[int]) -> str:
    low, high = bench.points[wanted[0]].size, bench.points[wanted[-1]].size
    return f"At {bench.axis} = {low:,}" if low == high else f"Over {bench.axis} = {low:,} to {high:,}"


def _of_limits(bench: Bench, first: Contender, wanted: Sequence[int]) -> Iterator[str]:
    if not bench.memory_bound:
        return
    whats: dict[str, Callable[[BenchPoint, Speed], float | None]] = {
        "a copy": lambda point, speed: point.copy_gb_per_s,
        "what this puzzle's traffic allows": lambda point, speed: point.limit_gb_per_s,
        "what its own bytes predict": lambda point, speed: speed.predicted,
    }
    parts = []
    for what, limit in whats.items():
        pairs = [(first.speeds[index], limit(bench.points[index], first.speeds[index])) for index in wanted]
        share = geometric_mean([s.rate / most for s, most in pairs if s.counted and s.rate and most])
        parts += [f"{percent(share)} of {what}"] if share is not None else []
    if parts:
        yield f"That is {', '.join(parts)}."


def _against_best(first: Contender, best: Sequence[float | None]) -> Iterator[str]:
    ratios = [s.rate / old for s, old in zip(first.speeds, best, strict=True) if s.counted and s.rate and old]
    if ratios:
        faster = sum(ratio > 1 for ratio in ratios)
        mean = geometric_mean(ratios) or 1.0
        yield (
            f"Beside your best so far: faster at {faster} of {plural(len(ratios), 'size')}, "
            f"{100 * (mean - 1):+.1f} % in the mean."
        )
