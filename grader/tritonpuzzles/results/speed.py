"""Speed on a real GPU: plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """A set of GPU timings of one function, in milliseconds."""

    median_ms: float
    low_ms: float  # first quartile
    high_ms: float  # third quartile
    best_ms: float
    samples: int


@dataclass(frozen=True)
class Benchmark:
    """Speed on a real GPU at one shape. Rates count the puzzle's own minimum of bytes or operations."""

    device: str
    shape: tuple[int, ...]
    dtype: str
    kernel: Timing
    unit: str  # "GB/s" or "TFLOP/s"
    rate: float
    baselines: dict[str, float]  # name -> rate, in the same unit
    copy_gb_per_s: float
    share_of_copy: float | None = None  # rate / copy, for GB/s
    share_of_limit: float | None = None  # rate / what the puzzle's traffic allows
    labels: tuple[str, ...] = ()  # "launch-bound", "suspicious"
    matmul_tflop_per_s: float | None = None  # of a large matrix product, for TFLOP/s
    yardstick: str = "traffic"  # what stars are given for a share of: the traffic's limit, or a baseline
    share_of_yardstick: float | None = None  # None where the yardstick does not run on this GPU
    stars_at: tuple[float, ...] = ()  # shares of it that earn two stars and three
