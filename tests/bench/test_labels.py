"""What the judge makes of a worker's timings: rates, labels, stars; and how it reads them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.front import samples
from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.hardware.gpus import COPY_CEILING
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.verdict.speed import (
    LAUNCH_BOUND_MS,
    doubts,
    labels,
    rate_of,
    read_benchmark,
    stars,
    timing,
)
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.speed import Benchmark, Timing

POSITIVE = st.floats(1e-4, 1e4)
GOOD = {"median_ms": 2.0, "low_ms": 1.9, "high_ms": 2.1, "best_ms": 1.8, "samples": 50}


def taking(ms: float) -> Timing:
    return Timing(ms, ms, ms, ms, 50)


@given(POSITIVE)
def test_launch_bound_is_what_is_short(ms: float) -> None:
    assert ("launch-bound" in labels(taking(ms), 0, 4000.0)) == (ms < LAUNCH_BOUND_MS)


@given(POSITIVE, st.integers(1, 10**12), st.floats(1, 1e5))
def test_suspicious_is_what_no_memory_could_move(ms: float, n_bytes: int, copy: float) -> None:
    rate = n_bytes / ms / 1e6
    expected = rate > copy / COPY_CEILING
    if not math.isclose(rate, copy / COPY_CEILING):
        assert ("suspicious" in labels(taking(ms), n_bytes, copy)) == expected


@given(POSITIVE, st.floats(0, 3))
def test_suspicious_is_also_what_no_arithmetic_unit_could_do(ms: float, share: float) -> None:
    assert ("suspicious" in labels(taking(ms), 0, 4000.0, share)) == (share > 1 / 0.9)


@given(st.integers(1, 10**15), POSITIVE, st.sampled_from(["GB/s", "TFLOP/s"]))
def test_twice_the_time_is_half_the_rate(work: int, ms: float, unit: str) -> None:
    assert rate_of(work, taking(2 * ms), unit) == pytest.approx(rate_of(work, taking(ms), unit) / 2)


def test_units() -> None:
    assert rate_of(4 * 10**9, taking(1.0), "GB/s") == pytest.approx(4000)
    assert rate_of(5 * 10**11, taking(1.0), "TFLOP/s") == pytest.approx(500)


@pytest.mark.parametrize(
    "change",
    [
        {"median_ms": 0.0},
        {"median_ms": -1.0},
        {"median_ms": math.nan},
        {"high_ms": math.inf},
        {"median_ms": True},
        {"median_ms": "2"},
        {"best_ms": 3.0},
        {"low_ms": 2.05},
        {"samples": 1},
        {"samples": 50.0},
        {"samples": True},
    ],
)
def test_a_timing_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    assert timing(GOOD) == Timing(2.0, 1.9, 2.1, 1.8, 50)
    with pytest.raises((ValueError, TypeError)):
        timing({**GOOD, **change})


def drawn(shape: tuple[int, int], dims: tuple[str, str], dtype: str) -> DrawnCase:
    case = Case("full size", "", "normal", shape, dtype)
    return DrawnCase(case, shape, dict(zip(dims, shape, strict=True)), {}, (), (), {})


def measured(ms: float, **more: Any) -> dict[str, Any]:
    baselines = dict.fromkeys(("torch.softmax", "naive torch", "cuDNN", "FlashAttention-2"), GOOD)
    kernel = {**GOOD, **dict.fromkeys(("median_ms", "low_ms", "high_ms", "best_ms"), ms)}
    return {"kernel": kernel, "baselines": baselines, "copy_gb_per_s": 4000.0, "device": "H200", **more}


def online(ms: float, **more: Any) -> Benchmark:
    spec = load_curriculum().find("3").benchmark
    assert spec is not None
    return read_benchmark(spec, drawn((1024, 65536), ("n_rows", "n_cols"), "float32"), measured(ms, **more))


def attention(ms: float, **more: Any) -> Benchmark:
    spec = load_curriculum().find("5").benchmark
    assert spec is not None
    with_product = {"matmul_tflop_per_s": 700.0, **more}
    return read_benchmark(spec, drawn((8192, 128), ("n", "d"), "float16"), measured(ms, **with_product))


def test_stars_are_a_share_of_what_the_traffic_allows() -> None:
    at_limit = 3 * 1024 * 65536 * 4 / 4000 / 1e6  # milliseconds of two reads and a write at the speed of a copy
    for share, earned in ((1.0, 3), (0.921, 3), (0.919, 2), (0.801, 2), (0.799, 1)):
        found = online(at_limit / share)
        assert found.share_of_yardstick == pytest.approx(share)
        assert found.share_of_yardstick == found.share_of_limit
        assert stars(passing(found)) == earned


def test_yardsticks_of_an_earlier_timing_are_not_asked_for_again() -> None:
    spec = load_curriculum().find("3").benchmark
    assert spec is not None
    earlier, alone = online(0.5), {key: value for key, value in measured(0.25).items() if key in ("kernel", "device")}
    found = read_benchmark(spec, drawn((1024, 65536), ("n_rows", "n_cols"), "float32"), alone, earlier)
    assert (found.copy_gb_per_s, found.baselines) == (earlier.copy_gb_per_s, earlier.baselines)
    assert found.share_of_limit == pytest.approx(2 * (earlier.share_of_limit or 0))


def test_less_traffic_than_the_puzzle_asks_for_is_not_suspicious() -> None:
    once = 2 * 1024 * 65536 * 4 / 4000 / 1e6
    found = online(once)
    assert found.share_of_limit == pytest.approx(1.5)
    assert found.labels == ()
    assert stars(passing(found)) == 3
    too_fast = online(once * 0.89)
    assert too_fast.labels == ("suspicious",)
    assert [finding.code for finding in doubts(too_fast)] == ["suspicious-timing"]
    assert stars(passing(too_fast)) == 1


def test_attention_is_measured_by_cudnn() -> None:
    for share, earned in ((0.91, 3), (0.89, 2), (0.61, 2), (0.59, 1)):
        found = attention(GOOD["median_ms"] / share)
        assert (found.yardstick, found.share_of_limit) == ("cuDNN", None)
        assert found.share_of_yardstick == pytest.approx(share)
        assert stars(passing(found)) == earned


def test_without_the_yardstick_there_is_the_first_star() -> None:
    found = attention(1.0, baselines={"naive torch": GOOD})
    assert (found.share_of_yardstick, set(found.baselines)) == (None, {"naive torch"})
    assert stars(passing(found)) == 1


def test_attention_faster_than_a_matrix_product_is_suspicious() -> None:
    operations = 4 * 8192 * 8192 * 128
    assert attention(operations / 777e9).labels == ()
    assert attention(operations / 779e9).labels == ("suspicious",)


@pytest.mark.parametrize(
    "forged",
    [
        {"copy_gb_per_s": 0},
        {"copy_gb_per_s": math.nan},
        {"kernel": []},
        {"kernel": None},
        {"baselines": ["naive torch"]},
    ],
)
def test_forged_measurements_are_refused(forged: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        online(1.0, **forged)


def passing(found: Benchmark | None) -> PuzzleResult:
    result: PuzzleResult = samples.passing()
    return replace(result, benchmark=found)


def test_stars_need_a_pass() -> None:
    assert stars(passing(None)) == 1
    for verdict in set(Verdict) - {Verdict.PASS}:
        assert stars(replace(passing(online(0.2)), verdict=verdict)) == 0


def test_a_launch_bound_kernel_has_one_star() -> None:
    assert stars(passing(replace(online(0.2), labels=("launch-bound",)))) == 1


def test_dtypes_count_their_own_bytes() -> None:
    spec = load_curriculum().find("3").benchmark
    assert spec is not None
    half = read_benchmark(spec, drawn((1024, 65536), ("n_rows", "n_cols"), "float16"), measured(1.0))
    assert half.rate == pytest.approx(online(1.0).rate / 2)
    assert torch.float16.itemsize == 2
