"""Time GPU work so that the numbers can be believed.

Events around one call; the L2 cache overwritten outside the pair; a warm-up that reaches full clocks; quartiles, not
means. Knows nothing of puzzles.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tritonpuzzles.results import Timing

WARMUP_CALLS = 25
WARMUP_MS = 150.0
MIN_SAMPLES = 50
SAMPLING_MS = 400.0
MAX_SAMPLES = 400
FLUSH_TIMES_L2 = 4

Call = Callable[[], Any]


def summarise(samples_ms: Sequence[float]) -> Timing:
    """Return median, quartiles, minimum and count of timings in milliseconds.

    Raises:
        ValueError: for fewer than two samples.
    """
    if len(samples_ms) < 2:
        raise ValueError(f"{len(samples_ms)} samples; at least 2 are needed")
    low, median, high = statistics.quantiles(samples_ms, n=4, method="inclusive")
    return Timing(median, low, high, min(samples_ms), len(samples_ms))


def sample_count(one_ms: float) -> int:
    """Return how many samples fill the sampling time, within its bounds."""
    return max(MIN_SAMPLES, min(MAX_SAMPLES, int(SAMPLING_MS / max(one_ms, 1e-3))))


class Stopwatch:
    """Times calls on one device.

    Args:
        device: a CUDA device.

    Attributes:
        l2_bytes: size of its L2 cache.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self.l2_bytes = int(torch.cuda.get_device_properties(device).L2_cache_size)
        self._flush = torch.empty(FLUSH_TIMES_L2 * self.l2_bytes, dtype=torch.int8, device=device)

    def time(self, call: Call) -> Timing:
        """Time one call of a function, with cold caches.

        Args:
            call: launches work on the current stream; its host time counts where it is longer than the work.
        """
        self._warm_up(call)
        one_ms = self._samples(call, 5)
        return summarise(self._samples(call, sample_count(statistics.median(one_ms))))

    def copy_gb_per_s(self) -> float:
        """Return the rate of a device-to-device copy, bytes read plus bytes written, far past the L2 cache."""
        n = 16 * self.l2_bytes
        source = torch.empty(n, dtype=torch.int8, device=self._device).fill_(1)
        target = torch.empty_like(source)
        timing = self.time(lambda: target.copy_(source))
        return 2 * n / timing.median_ms / 1e6

    def _warm_up(self, call: Call) -> None:
        start, end = _event(), _event()
        elapsed_ms, calls = 0.0, 0
        while calls < WARMUP_CALLS and elapsed_ms < WARMUP_MS:
            start.record()
            for _ in range(5):
                call()
            end.record()
            end.synchronize()
            elapsed_ms += start.elapsed_time(end)
            calls += 5

    def _samples(self, call: Call, count: int) -> list[float]:
        events = [(_event(), _event()) for _ in range(count)]
        for start, end in events:
            self._flush.zero_()
            start.record()
            call()
            end.record()
        torch.cuda.synchronize(self._device)
        return [start.elapsed_time(end) for start, end in events]


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
