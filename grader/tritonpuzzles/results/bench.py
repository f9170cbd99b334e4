"""The data of `tritonpuzzles bench`: the speed of files, of PyTorch and of a copy over sizes, on one GPU.

Plain data that judge, front and `benchmarks/` share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.speed import Timing

VERSION = 1
WRONG = "wrong-values"


@dataclass(frozen=True)
class BenchPoint:
    """One size."""

    size: int  # along the axis
    shape: tuple[int, ...]  # of the inputs
    work: int  # bytes (GB/s) or operations (TFLOP/s) that a rate counts
    minimum_bytes: int  # that no kernel can do without
    allowed_bytes: int  # that the puzzle's own traffic moves
    copy_gb_per_s: float | None = None  # of a copy that moves `minimum_bytes`, where bytes decide

    @property
    def limit_gb_per_s(self) -> float | None:
        """The rate that a copy's speed and the puzzle's traffic allow."""
        return self.rate_of(self.allowed_bytes)

    def rate_of(self, moved_bytes: int | None) -> float | None:
        """Return the rate of a call that moves `moved_bytes` at the speed of a copy."""
        if self.copy_gb_per_s is None or not moved_bytes:
            return None
        return self.copy_gb_per_s * self.minimum_bytes / moved_bytes

    def predicted(self, ledger_bytes: int | None, dram_bytes: int | None, l2_gb_per_s: float | None) -> float | None:
        """Return the rate that a call's bytes allow.

        Those that its kernels request all pass through the L2 cache; if its rate is `None`, it sets no limit. DRAM
        moves those that the cache leaves to it, all if they are `None`, at the speed of a copy.
        """
        by_dram = self.rate_of(ledger_bytes if dram_bytes is None else dram_bytes)
        if by_dram is None or l2_gb_per_s is None or not ledger_bytes:
            return by_dram
        return min(by_dram, l2_gb_per_s * self.minimum_bytes / ledger_bytes)


@dataclass(frozen=True)
class Speed:
    """One contender at one size."""

    timing: Timing | None = None  # of one call; `None` if it failed, and `failure` says why
    rate: float | None = None  # in the bench's unit; never that of a wrong result
    labels: tuple[str, ...] = ()  # "launch-bound", "suspicious"
    failure: Finding | None = None
    ledger_bytes: int | None = None  # bytes that the kernels moved, counted by the interpreter
    predicted: float | None = None  # the rate that these bytes allow at the speeds of a copy and of the L2 cache
    dram_bytes: int | None = None  # bytes that the L2 cache leaves to DRAM, by a model; `None` without a model

    @property
    def counted_rate(self) -> float | None:
        """The rate, if it can be believed."""
        return None if "suspicious" in self.labels else self.rate


@dataclass(frozen=True)
class Contender:
    """Something that was timed at every size."""

    name: str  # "yours", "solution", "tuned", "torch.softmax", ...
    file: str | None  # `None` for PyTorch's own
    speeds: tuple[Speed, ...]  # one per point of the bench
    copy_drift: float | None = None  # ratio of a copy's speed after to before, in this contender's process
    rung: str | None = None  # of PyTorch's own: "naive", "library" or "best"; `None` for files

    @property
    def right(self) -> bool:
        """Whether every size gave a right result."""
        return bool(self.speeds) and all(speed.timing is not None for speed in self.speeds)


@dataclass(frozen=True)
class Bench:
    """One puzzle over sizes."""

    puzzle: int
    slug: str
    seed: int
    dtype: str
    axis: str  # the dimension that varies
    dims: tuple[str, ...]  # names of all of them
    unit: str  # "GB/s" or "TFLOP/s"
    environment: dict[str, Any]  # versions, the GPU, its driver and clocks
    copy_gb_per_s: float | None  # of a copy far past the caches
    matmul_tflop_per_s: float | None  # of a large matrix product, where arithmetic decides
    points: tuple[BenchPoint, ...]  # in order
    contenders: tuple[Contender, ...]  # files first, then PyTorch's
    notes: tuple[str, ...] = ()  # what was left out and why, as sentences
    work_in_words: str = ""  # what a rate counts, for people: "4 n² d operations"

    @property
    def memory_bound(self) -> bool:
        """Whether bytes decide the speed."""
        return self.unit == "GB/s"

    def contender(self, name: str) -> Contender | None:
        """Return the contender of that name."""
        return next((found for found in self.contenders if found.name == name), None)

    def ceiling_at(self, index: int) -> float | None:
        """Return the hardware's rate at a point: a copy's, or that of a large matrix product."""
        return self.points[index].copy_gb_per_s if self.memory_bound else self.matmul_tflop_per_s


def bench_from_dict(data: Any) -> Bench:
    """Read the data that `results.plain` makes of a bench; raises DecodeError if it is something else."""
    return Decoder(closed=False).read(Bench, data)
