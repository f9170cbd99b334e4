"""What a bench counts beforehand: the bytes that kernels ask for, and those that a GPU's L2 cache leaves to DRAM."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.hardware.l2 import L2, USUAL
from tritonpuzzles.judge.bench import BenchOptions, Entrant, ledger
from tritonpuzzles.judge.bench.ledger import Counted, count
from tritonpuzzles.judge.bench.plan import plan_bench
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.results.bench import BenchPoint
from tritonpuzzles.results.submission import Submission

ROOT = Path(__file__).parents[2]


def counted(number: int, file: str, sizes: tuple[int, ...], l2: L2 | None) -> tuple[Counted, tuple[BenchPoint, ...]]:
    plan = plan_bench(load_curriculum().find(str(number)), BenchOptions(sizes, seed=3), 3)
    entrant = Entrant("file", Submission.of(ROOT / "solutions" / file))
    return count(plan, entrant, partial(Crew, "cpu"), 30, l2), plan.points


def times(found: tuple[int | None, ...], points: tuple[BenchPoint, ...]) -> list[float]:
    return [(nbytes or 0) / point.minimum_bytes for nbytes, point in zip(found, points, strict=True)]


def test_a_few_rows_have_the_share_of_the_cache_that_they_have_among_all() -> None:
    """4,096 rows of 4,096 columns in work are 8.7 MB at once, those of 16,384 columns 34.6 MB of x and as much of y."""
    found, points = counted(3, "p03_online_softmax.py", (4096, 16384), USUAL)
    assert times(found.ledger_bytes, points) == [1.5, 1.5]
    assert times(found.dram_bytes, points) == [1.0, 1.375]
    record = json.loads((ROOT / "benchmarks" / "results" / "nvidia_h200_softmax.json").read_text())
    bench = next(bench for bench in record["results"] if bench["puzzle"] == 3)
    speeds = bench["contenders"][0]["speeds"]
    on_record = {point["size"]: speed["dram_bytes"] for point, speed in zip(bench["points"], speeds, strict=True)}
    assert found.dram_bytes == (on_record[4096], on_record[16384])


def test_registers_decide_how_many_share_it() -> None:
    """The tuned kernel keeps 32 elements a thread: one program to a multiprocessor, where warps have room for two."""
    found, points = counted(3, "tuned/p03_online_softmax.py", (65_536,), USUAL)
    assert times(found.dram_bytes, points) == [1.0]


def test_without_a_cache_nothing_is_said_of_dram(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "_room", lambda *_: pytest.fail("nothing is compiled"))
    found, points = counted(3, "p03_online_softmax.py", (300,), None)
    assert (found.dram_bytes, times(found.ledger_bytes, points)) == ((None,), [1.5])


def test_what_moves_once_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "programs_per_sm", lambda *_: pytest.fail("nothing is compiled"))
    found, points = counted(0, "p00_vector_add.py", (70_000, 300_000), replace(USUAL, nbytes=0))
    assert times(found.dram_bytes, points) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("moved", "dram", "l2_gb_per_s", "rate"),
    [
        (200, 100, None, 4000), (200, 150, None, 4000 / 1.5), (200, None, None, 2000), (200, 100, 6000, 3000),
        (200, 190, 6000, 4000 / 1.9), (None, None, 6000, None),
    ],
)  # fmt: skip
def test_dram_and_cache_each_at_its_rate(
    moved: int | None, dram: int | None, l2_gb_per_s: float | None, rate: float | None
) -> None:
    point = BenchPoint(1, (1,), 100, 100, 100, 4000)
    assert point.predicted(moved, dram, l2_gb_per_s) == (None if rate is None else pytest.approx(rate))
