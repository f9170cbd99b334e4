"""What a record says of benches, and the plan that is made of it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.pack import pack_folder
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.judge.bench import BenchOptions, NoBenchError
from tritonpuzzles.judge.bench.plan import plan_bench
from tritonpuzzles.wire.fields import COMMANDED
from tritonpuzzles.wire.job import BenchJob

PUZZLES = load_curriculum().puzzles
TIMED = [puzzle for puzzle in PUZZLES if puzzle.benchmark is not None and puzzle.benchmark.bench is not None]


def test_every_puzzle_has_a_bench_whose_outputs_can_be_looked_at_row_by_row() -> None:
    assert list(PUZZLES) == TIMED
    rows = {puzzle.slug: puzzle.benchmark.bench.rows for puzzle in TIMED if puzzle.benchmark and puzzle.benchmark.bench}
    assert rows["vector_add"] == {"z": {"x": 0, "y": 0}}
    assert rows["flash_attention"] == {"o": {"q": 0}}
    assert rows["matmul_autograd"]["db"] == {"a": 1, "b": 0}


@pytest.mark.parametrize("puzzle", TIMED, ids=lambda puzzle: puzzle.stem)
def test_every_bench_has_sizes_and_stars(puzzle: Puzzle) -> None:
    plan = plan_bench(puzzle, BenchOptions(), 1)
    assert len(plan.points) >= 5
    assert plan.spec.stars.two < plan.spec.stars.three
    for point in plan.points:
        assert dict(zip(puzzle.dims, point.shape, strict=True))[plan.bench.axis] == point.size
        assert 0 < point.minimum_bytes <= point.allowed_bytes
    if plan.spec.memory_bound:
        assert plan.points[-1].minimum_bytes in (3 * 2**28 * 4, 2 * 4096 * 131072 * 4, 2 * 1024 * 262144 * 4)
        assert (plan.spec.stars.of, plan.spec.stars.two, plan.spec.stars.three) == ("traffic", 0.80, 0.92)
    else:
        assert plan.points[2].work in (4 * 4096 * 4096 * 128, 2 * 2048**3, 6 * 2048**3)


def test_sizes_and_dtype_can_be_asked_for() -> None:
    plan = plan_bench(PUZZLES[3], BenchOptions((5000, 100, 5000), dtype="float16"), 1)
    assert [point.shape for point in plan.points] == [(4096, 100), (4096, 5000)]
    assert plan.points[0].minimum_bytes == 2 * 4096 * 100 * 2
    assert [p.size for p in plan_bench(PUZZLES[3], BenchOptions(largest_only=True), 1).points] == [131072]


def test_what_does_not_fit_is_left_out_and_said() -> None:
    largest = plan_bench(PUZZLES[3], BenchOptions(), 1).needed_bytes((4096, 131072))
    plan = plan_bench(PUZZLES[3], BenchOptions(), 1, free_bytes=largest)
    assert [point.size for point in plan.points][-1] == 65536
    assert len(plan.notes) == 1
    assert "Size 131,072 is left out: it takes about" in plan.notes[0]
    alone = plan_bench(PUZZLES[3], BenchOptions(largest_only=True), 1, free_bytes=largest)
    assert [point.size for point in alone.points] == [65536]
    with pytest.raises(NoBenchError, match="Nothing is timed"):
        plan_bench(PUZZLES[3], BenchOptions(), 1, free_bytes=1 << 20)


def test_a_puzzle_without_a_benchmark_cannot_be_benched(square: Puzzle) -> None:
    with pytest.raises(NoBenchError, match="square, has nothing to time"):
        plan_bench(square, BenchOptions(), 1)


def test_softmax_puzzles_share_their_rivals_and_others_do_not() -> None:
    keys = [plan_bench(puzzle, BenchOptions(), 1).baseline_key for puzzle in TIMED]
    assert keys[1] == keys[2] == keys[3] == keys[4]
    assert len(set(keys)) == 6, "addition, rows in one sweep, rows of puzzle 6, attention, matrix product, gradients"
    assert plan_bench(PUZZLES[1], BenchOptions(dtype="float16"), 1).baseline_key != keys[1]


def test_a_job_says_what_a_worker_needs_and_no_more() -> None:
    plan = plan_bench(PUZZLES[3], BenchOptions((64, 128)), 7)
    job = plan.job("x.py")
    assert COMMANDED.read(BenchJob, json.loads(json.dumps(asdict(job)))) == job
    assert job.host.call == "softmax(x)"
    assert job.baselines == {}
    assert [point.copy_bytes for point in job.points] == [None, None]
    seeds = {seed for point in job.points for seed in (point.seed, point.check_seed)}
    assert len(seeds) == 4
    assert job.points == plan_bench(PUZZLES[3], BenchOptions((64, 128)), 7).job("y.py").points
    rivals = plan.job(None)
    assert list(rivals.baselines) == [base.name for base in plan.spec.baselines]
    assert [2 * (point.copy_bytes or 0) for point in rivals.points] == [p.minimum_bytes for p in plan.points]
    assert (rivals.arithmetic, plan_bench(PUZZLES[5], BenchOptions(), 7).job(None).arithmetic) == (False, True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('of = "traffic"', 'of = "speed"', "'speed', which is neither"),
        ('of = "traffic"', 'off = "traffic"', "off"),
        ("two = 0.80", "two = 0.95", "not in order"),
        ('axis = "n_cols"', 'axis = "n"', "axis 'n' is not known"),
        ("sizes = [1024, 2048,", "sizes = [2048, 1024,", "not positive and rising"),
        ('shape = [4096, "n_cols"]', 'shape = ["n_cols"]', "dims names 2"),
        ('shape = [4096, "n_cols"]', 'shape = [4096, "m"]', "'m' in 'm' is not known"),
        ('rows = ["x"]', 'rows = ["q"]', "rows: there is no tensor 'q'"),
        ('rows = ["x"]', "", "rows names no tensor"),
        ('rows = ["x"]', "rows = { y = { q = 0 } }", "'q'"),
        ('rows = ["x"]', "rows = { z = { x = 0 } }", "'z'"),
        ('rows = ["x"]', "rows = { y = { x = 2 } }", "x has 2 axes, and y asks for axis 2"),
        ('rows = ["x"]', "rows = { y = {} }", "rows names no tensor for y"),
        ('unit = "GB/s"', 'unit = "MB/s"', "unit 'MB/s' is not known"),
        ('unit = "GB/s"', 'unit = "TFLOP/s"', "does not bind"),
    ],
)
def test_a_bad_benchmark_says_what_is_wrong(old: str, new: str, words: str, tmp_path: Path) -> None:
    folder = pack_folder()
    text = (folder / "records" / "p03_online_softmax.toml").read_text()
    assert old in text
    record = tmp_path / "p03_online_softmax.toml"
    record.write_text(text.replace(old, new, 1))
    with pytest.raises(RecordError) as caught:
        load_puzzle(record, folder / "hints" / "p03_online_softmax.md")
    assert words in str(caught.value)


def test_a_record_without_a_benchmark_is_a_record() -> None:
    puzzle = load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md")
    assert puzzle.benchmark is None
    assert replace(PUZZLES[1], benchmark=None).benchmark is None
