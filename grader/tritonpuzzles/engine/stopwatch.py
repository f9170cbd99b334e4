"""Time GPU work reliably.

CUDA events around one call; the L2 cache overwritten before them; a warm-up that reaches full clocks; quartiles, not
means. Independent of puzzles.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from tritonpuzzles.results.speed import Timing

CLOCKS_UP_MS = 150.0  # of the work itself: thousands of calls of a kernel of 10 us until clocks are up
WARMUP_BATCH = 5
PROBES = 5
MIN_SAMPLES, MAX_SAMPLES = 50, 400
FLUSH_TIMES_L2 = 4
COPY_TIMES_L2 = 16  # bytes of a copy that no cache can hold

Call = Callable[[], Any]


@dataclass(frozen=True)
class Pace:
    """Durations of one timing, in milliseconds of the work itself; a stopwatch's first timing warms up longer."""

    warmup_ms: float
    sampling_ms: float


THOROUGH = Pace(CLOCKS_UP_MS, 400.0)
BRIEF = Pace(25.0, 60.0)  # for several timings in a row while somebody waits


def nothing() -> None:
    """Do nothing."""


def summarise(samples_ms: Sequence[float]) -> Timing:
    """Return median, quartiles, minimum and count of timings in milliseconds; raises ValueError for fewer than two."""
    if len(samples_ms) < 2:
        raise ValueError(f"{len(samples_ms)} samples; at least 2 are needed")
    low, median, high = statistics.quantiles(samples_ms, n=4, method="inclusive")
    return Timing(median, low, high, min(samples_ms), len(samples_ms))


def sample_count(one_ms: float, sampling_ms: float = THOROUGH.sampling_ms) -> int:
    """Return how many samples fill the sampling time, between `MIN_SAMPLES` and `MAX_SAMPLES`."""
    return max(MIN_SAMPLES, min(MAX_SAMPLES, int(sampling_ms / max(one_ms, 1e-3))))


class CudaClock:
    """Events on a CUDA device's current stream: the only part of the stopwatch that depends on CUDA."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self.l2_bytes = int(torch.cuda.get_device_properties(device).L2_cache_size)
        self._flush = torch.empty(FLUSH_TIMES_L2 * self.l2_bytes, dtype=torch.int8, device=device)

    def settle(self, call: Call) -> None:
        """Call once and wait, so that compiling and tuning in a first call are not timed."""
        call()
        torch.cuda.synchronize(self._device)

    def together_ms(self, call: Call, count: int) -> float:
        """Return the time of `count` calls, one right after the other, with warm caches."""
        start, end = _event(), _event()
        start.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end))

    def each_ms(self, call: Call, count: int, before_last: Callable[[], None] = nothing) -> list[float]:
        """Return the time of each of `count` calls, with cold caches; `before_last` runs outside the timing."""
        events = [(_event(), _event()) for _ in range(count)]
        for number, (start, end) in enumerate(events, 1):
            if number == count:
                before_last()
            self._flush.zero_()
            start.record()
            call()
            end.record()
        torch.cuda.synchronize(self._device)
        return [float(start.elapsed_time(end)) for start, end in events]


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]


class Stopwatch:
    """Times calls on one device, by events on it unless there is a `clock`; `pace` is how long one timing takes."""

    def __init__(self, device: torch.device, clock: CudaClock | None = None, pace: Pace = THOROUGH) -> None:
        self._device = device
        self._clock = clock if clock is not None else CudaClock(device)
        self._pace = pace
        self._warmup_ms = CLOCKS_UP_MS

    def time(self, call: Call, before_last: Callable[[], None] = nothing) -> Timing:
        """Time one call of a function that launches work on the current stream, with cold caches.

        Its host time counts if it is longer than the work. `before_last` runs once, outside the timing, before the last
        sample; it may change the call's inputs.
        """
        self._clock.settle(call)
        elapsed_ms = 0.0
        while elapsed_ms < self._warmup_ms:
            elapsed_ms += self._clock.together_ms(call, WARMUP_BATCH)
        self._warmup_ms = self._pace.warmup_ms
        one_ms = statistics.median(self._clock.each_ms(call, PROBES))
        return summarise(self._clock.each_ms(call, sample_count(one_ms, self._pace.sampling_ms), before_last))

    def copy_gb_per_s(self, n_bytes: int | None = None) -> float:
        """Return the rate of a copy on the device, bytes read plus bytes written; by default, of more than L2 holds."""
        n = COPY_TIMES_L2 * self._clock.l2_bytes if n_bytes is None else n_bytes
        source = torch.ones(n, dtype=torch.int8, device=self._device)
        target = torch.empty_like(source)
        timing = self.time(lambda: target.copy_(source))
        return 2 * n / timing.median_ms / 1e6

    def matmul_tflop_per_s(self, dtype: torch.dtype) -> float:
        """Return the rate of a large square matrix product, as the attainable rate of the arithmetic units.

        float32 may use TF32 here: a kernel may compute an accurate product from several TF32 ones.
        """
        n = 4096 if dtype is torch.float32 else 8192
        a, b = (torch.randn(n, n, dtype=torch.float32, device=self._device).to(dtype) for _ in range(2))
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high")
        try:
            timing = self.time(lambda: a @ b)
        finally:
            torch.set_float32_matmul_precision(before)
        return 2 * n**3 / timing.median_ms / 1e9
