"""The statistics of timings, and the stopwatch's protocol, with a clock that is made up. No time is asserted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.engine import stopwatch as timing
from tritonpuzzles.engine.stopwatch import (
    CLOCKS_UP_MS,
    MAX_SAMPLES,
    MIN_SAMPLES,
    PROBES,
    THOROUGH,
    Pace,
    Stopwatch,
    nothing,
    sample_count,
    summarise,
)

MILLISECONDS = st.floats(1e-4, 1e4)
SAMPLES = st.lists(MILLISECONDS, min_size=2, max_size=80)


@given(SAMPLES)
def test_quartiles_are_in_order_and_within_the_samples(samples: list[float]) -> None:
    found = summarise(samples)
    slack = 1e-9 * max(samples)  # a quartile between two equal samples is a sum of parts of them
    assert found.best_ms == min(samples)
    assert found.best_ms - slack <= found.low_ms <= found.median_ms + slack
    assert found.median_ms - slack <= found.high_ms <= max(samples) + slack
    assert found.samples == len(samples)


@given(SAMPLES)
def test_quartiles_are_those_of_numpy(samples: list[float]) -> None:
    found = summarise(samples)
    assert [found.low_ms, found.median_ms, found.high_ms] == pytest.approx(np.percentile(samples, [25, 50, 75]))


@given(SAMPLES, st.randoms())
def test_the_order_of_samples_does_not_matter(samples: list[float], random: Any) -> None:
    shuffled = random.sample(samples, len(samples))
    assert summarise(shuffled) == summarise(samples)


@given(SAMPLES, st.floats(1e-3, 1e3))
def test_a_clock_in_other_units_gives_the_same_shape(samples: list[float], factor: float) -> None:
    found, scaled = summarise(samples), summarise([factor * sample for sample in samples])
    assert scaled.median_ms == pytest.approx(factor * found.median_ms)
    assert scaled.high_ms - scaled.low_ms == pytest.approx(
        factor * (found.high_ms - found.low_ms), abs=1e-6 * scaled.high_ms
    )


@given(st.lists(MILLISECONDS, min_size=9, max_size=60), st.floats(1e5, 1e9))
def test_one_outlier_moves_the_median_no_further_than_its_neighbour(samples: list[float], outlier: float) -> None:
    ordered = sorted(samples)
    assert summarise([*samples, outlier]).median_ms <= ordered[len(ordered) // 2 + 1]


@pytest.mark.parametrize("samples", [[], [1.0]])
def test_too_few_samples_are_refused(samples: list[float]) -> None:
    with pytest.raises(ValueError, match="at least 2"):
        summarise(samples)


@given(st.floats(0, 1e5))
def test_the_number_of_samples_fills_the_time_within_bounds(one_ms: float) -> None:
    count = sample_count(one_ms)
    assert MIN_SAMPLES <= count <= MAX_SAMPLES
    if MIN_SAMPLES < count < MAX_SAMPLES:
        assert count * one_ms <= THOROUGH.sampling_ms < (count + 1) * one_ms


@given(st.floats(0, 1e4), st.floats(0, 1e4))
def test_a_slower_call_never_gets_more_samples(a: float, b: float) -> None:
    assert sample_count(max(a, b)) <= sample_count(min(a, b))


class MadeUpClock:
    """A device whose calls take what a script says; it writes down what it was asked for."""

    l2_bytes = 64

    def __init__(self, one_ms: float = 1.0, noise: tuple[float, ...] = (0.0,)) -> None:
        self.one_ms, self.noise = one_ms, noise
        self.log: list[str] = []

    def settle(self, call: Callable[[], Any]) -> None:
        self.log.append("settle")
        call()

    def together_ms(self, call: Callable[[], Any], count: int) -> float:
        self.log.append(f"together {count}")
        for _ in range(count):
            call()
        return self.one_ms * count

    def each_ms(self, call: Callable[[], Any], count: int, before_last: Callable[[], None] = nothing) -> list[float]:
        self.log.append(f"each {count}")
        for number in range(count):
            if number == count - 1:
                before_last()
            call()
        return [self.one_ms + self.noise[number % len(self.noise)] for number in range(count)]


def stopwatch(clock: MadeUpClock) -> Stopwatch:
    return Stopwatch(torch.device("cpu"), clock)


def test_a_brief_pace_brings_the_clocks_up_once() -> None:
    clock = MadeUpClock(1.0)
    watch = Stopwatch(torch.device("cpu"), clock, Pace(warmup_ms=10.0, sampling_ms=60.0))
    watch.time(lambda: None)
    assert clock.log.count(f"together {timing.WARMUP_BATCH}") == CLOCKS_UP_MS / timing.WARMUP_BATCH
    clock.log.clear()
    assert watch.time(lambda: None).samples == 60
    assert clock.log.count(f"together {timing.WARMUP_BATCH}") == 10 / timing.WARMUP_BATCH


@given(st.floats(0.01, 500))
def test_a_first_call_then_a_warm_up_then_a_probe_then_the_samples(one_ms: float) -> None:
    clock = MadeUpClock(one_ms)
    found = stopwatch(clock).time(lambda: None)
    assert clock.log[0] == "settle"  # what it compiles is in no timing
    warm = [int(words.split()[1]) for words in clock.log[1:-2]]
    assert {*clock.log[1:-2]} == {f"together {timing.WARMUP_BATCH}"}
    assert sum(warm) * one_ms >= CLOCKS_UP_MS > (sum(warm) - timing.WARMUP_BATCH) * one_ms - 1e-6
    assert clock.log[-2:] == [f"each {PROBES}", f"each {sample_count(one_ms)}"]
    assert found.samples == sample_count(one_ms)
    assert found.median_ms == pytest.approx(one_ms)


def test_the_spread_is_told() -> None:
    found = stopwatch(MadeUpClock(1.0, (0.0, 0.1, 0.2, 0.3, 0.4))).time(lambda: None)
    assert (found.best_ms, found.median_ms) == pytest.approx((1.0, 1.2))
    assert (found.low_ms, found.high_ms) == pytest.approx((1.1, 1.3))


def test_inputs_may_change_once_before_the_last_sample() -> None:
    seen: list[str] = []
    stopwatch(MadeUpClock(100.0)).time(lambda: seen.append("call"), lambda: seen.append("change"))
    assert seen.count("change") == 1
    assert seen[-2:] == ["change", "call"]
    assert seen.count("call") == 1 + timing.WARMUP_BATCH + PROBES + MIN_SAMPLES


def test_a_copy_counts_what_is_read_and_what_is_written() -> None:
    clock = MadeUpClock(2.0)
    n = timing.COPY_TIMES_L2 * clock.l2_bytes
    assert stopwatch(clock).copy_gb_per_s() == pytest.approx(2 * n / 2e-3 / 1e9)
    assert stopwatch(clock).copy_gb_per_s(10**6) == pytest.approx(1.0)


@pytest.mark.parametrize(("dtype", "n"), [(torch.float32, 4096), (torch.float16, 8192)])
def test_a_matrix_product_counts_two_operations_each(
    dtype: torch.dtype, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "randn", lambda rows, cols, **_: torch.zeros(1, 1).expand(rows, cols))
    watch = stopwatch(MadeUpClock(1.0))
    precision = torch.get_float32_matmul_precision()
    seen: list[str] = []

    def instead(call: Callable[[], Any]) -> Any:
        seen.append(torch.get_float32_matmul_precision())
        return summarise([1.0, 1.0])

    monkeypatch.setattr(watch, "time", instead)
    assert watch.matmul_tflop_per_s(dtype) == pytest.approx(2 * n**3 / 1e-3 / 1e12)
    assert seen == ["high"]
    assert torch.get_float32_matmul_precision() == precision


def test_the_median_is_finite_for_finite_samples() -> None:
    assert math.isfinite(summarise([1e-300, 1e300]).median_ms)
