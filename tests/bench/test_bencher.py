"""A whole bench without a GPU: real files, real counting on the CPU, and workers whose clock is made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.fakes import COPY_GB_PER_S, FakeWorker, start
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.bench import BenchOptions, Entrant, bencher
from tritonpuzzles.judge.bench.bencher import Bencher
from tritonpuzzles.judge.bench.ledger import Counted
from tritonpuzzles.judge.workers.process import WorkerBrokenError
from tritonpuzzles.results.bench import Bench, bench_from_dict
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import MAX_HEADER_BYTES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUZZLE = load_curriculum().find("3")
SOLUTION = (ROOT / "solutions" / "p03_online_softmax.py").read_text()
SIZES = (40, 300)
ALLOCATE = "    y = torch.empty_like(x)\n"
# Each is right on the 16 rows that the bytes are counted on, and something else on the 4,096 that are timed.
TIMED_ONLY = {
    "solution": (ALLOCATE, ALLOCATE),
    "value": ("tl.exp(x - m) / l", "tl.exp(x - m) / (l + (tl.num_programs(0) > 16))"),
    "exit": (ALLOCATE, f"    if n_rows > 16 and n_cols == 40:\n        raise SystemExit(3)\n{ALLOCATE}"),
    "kept": (
        ALLOCATE,
        "    if n_rows > 16 and n_cols in KEPT:\n        return KEPT[n_cols]\n"
        "    y = KEPT[n_cols] = torch.empty_like(x)\n",
    ),
    "torch": (ALLOCATE, f"    if n_rows > 16:\n        return torch.softmax(x, dim=1)\n{ALLOCATE}"),
    "shape": ("    return y\n", "    return y if n_rows <= 16 else y[:-1]\n"),
    "import": ("import torch\n", "import torch\nimport no_such_module\n"),
}


def source(name: str) -> str:
    old, new = TIMED_ONLY[name]
    assert old in SOLUTION
    return SOLUTION.replace(old, new) + "\n\nKEPT = {}\n"


def entrant(name: str, folder: Path) -> Entrant:
    path = folder / f"{name}_.py"
    path.write_text(source(name))
    return Entrant(name, Submission.of(path))


def run(entrants: list[Entrant], milliseconds: list[float], needed: str | None = None, **more: Any) -> Bench:
    options = BenchOptions(SIZES, seed=3, timeout=30)
    return Bencher(options, device="cpu", start=start(milliseconds, **more)).bench(PUZZLE, entrants, needed)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("files")
    three = Entrant("three", Submission.of(ROOT / "solutions" / "p02_blocked_softmax.py"))
    return run([*(entrant(name, folder) for name in TIMED_ONLY), three], [1.0, 0.005])


def codes(bench: Bench, name: str) -> list[str | None]:
    contender = bench.contender(name)
    assert contender is not None
    return [speed.failure.code if speed.failure is not None else None for speed in contender.speeds]


def test_a_right_file_has_rates_bytes_and_predictions(bench: Bench) -> None:
    solution = bench.contender("solution")
    assert solution is not None
    assert solution.right
    assert solution.copy_drift == 1.0
    assert bench.copy_gb_per_s == COPY_GB_PER_S
    for point, speed, ms in zip(bench.points, solution.speeds, (1.0, 0.005), strict=True):
        assert point.shape == (4096, point.size)
        assert speed.rate == pytest.approx(2 * 4096 * point.size * 4 / ms / 1e6)
        assert speed.ledger_bytes == 3 * 4096 * point.size * 4
        assert point.copy_gb_per_s == COPY_GB_PER_S / 2
        assert speed.predicted == pytest.approx(COPY_GB_PER_S / 2 / 1.5)
        assert speed.predicted == pytest.approx(point.limit_gb_per_s)
    assert [speed.labels for speed in solution.speeds] == [(), ("launch-bound",)]


def test_a_pass_too_many_is_timed_and_predicted(bench: Bench) -> None:
    three = bench.contender("three")
    assert three is not None
    assert three.right
    assert [s.ledger_bytes for s in three.speeds] == [2 * point.minimum_bytes for point in bench.points]
    assert three.speeds[0].predicted == pytest.approx(COPY_GB_PER_S / 4)


def test_sizes_that_share_their_count_have_their_own_bytes() -> None:
    """Vectors cost the same for each element, so that one length tells the bytes of all."""
    puzzle = load_curriculum().find("0")
    options = BenchOptions((70_000, 300_000), seed=3, timeout=30)
    solution = Entrant("solution", Submission.of(ROOT / "solutions" / "p00_vector_add.py"))
    found = Bencher(options, device="cpu", start=start([1.0, 4.0])).bench(puzzle, [solution])
    (contender,) = [one for one in found.contenders if one.file is not None]
    assert [speed.ledger_bytes for speed in contender.speeds] == [3 * 70_000 * 4, 3 * 300_000 * 4]


def test_rivals_are_timed_too(bench: Bench) -> None:
    assert [c.name for c in bench.contenders if c.file is None] == ["torch.softmax", "naive torch"]
    assert all(speed.rate for c in bench.contenders if c.file is None for speed in c.speeds)


def test_a_result_that_is_kept_has_no_speed(bench: Bench) -> None:
    """A later call could write over it; what is timed is written down once for each size, and run again and again."""
    assert codes(bench, "kept") == ["cached-answer"] * 2


def test_a_wrong_result_has_no_speed(bench: Bench) -> None:
    assert codes(bench, "value") == ["wrong-values"] * 2
    assert codes(bench, "shape") == ["wrong-shape"] * 2
    for name in ("value", "shape"):
        contender = bench.contender(name)
        assert contender is not None
        assert not contender.right
        assert all(speed.rate is None and speed.timing is None for speed in contender.speeds)


def test_torch_at_work_is_not_the_kernels_speed(bench: Bench) -> None:
    assert len(set(codes(bench, "torch"))) == 1
    assert codes(bench, "torch")[0] in ("torch-compute", "no-launch")


def test_what_raises_at_one_size_is_timed_at_the_next(bench: Bench) -> None:
    assert codes(bench, "exit") == ["exit", None]


def test_a_file_that_does_not_load_is_refused_by_the_count(bench: Bench) -> None:
    assert codes(bench, "import") == ["import-error"] * 2


def test_everything_survives_json(bench: Bench) -> None:
    assert bench_from_dict(plain(bench)) == bench


def test_a_stub_is_not_worth_a_gpus_time() -> None:
    stub = Entrant("yours", Submission.of(ROOT / "puzzles" / "p03_online_softmax.py"))

    def none(part: str, device: str, **asked: Any) -> Any:
        assert device == "cpu"
        return start([1.0])(part, device, **asked)

    options = BenchOptions(SIZES, seed=3, timeout=30)
    found = Bencher(options, device="cpu", start=none).bench(PUZZLE, [stub], needed="yours")
    assert codes(found, "yours") == ["nothing-written"] * 2
    assert [contender.name for contender in found.contenders] == ["yours"]
    assert found.copy_gb_per_s is None


def forged(**change: Any) -> Callable[[dict[str, Any]], None]:
    def forge(header: dict[str, Any]) -> None:
        if header["kind"] == change["kind"]:
            header.update(change["say"])

    return forge


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file passes the count at once: these tests are about what comes after it."""
    monkeypatch.setattr(bencher, "count", lambda plan, *_: Counted(*[(None,) * len(plan.points)] * 2))


GOOD = {"median_ms": 1.0, "low_ms": 1.0, "high_ms": 1.0, "best_ms": 1.0, "samples": 50}


@pytest.mark.parametrize(
    ("kind", "say"),
    [
        ("timed", {"timing": {**GOOD, "median_ms": "nan"}}),
        ("timed", {"timing": {**GOOD, "best_ms": 2.0}}),
        ("timed", {"timing": []}),
        ("timed", {"outputs": 7}),
        ("timed", {"outputs": [7]}),
        ("timed", {"outputs": [{"type": "Tensor", "shape": [-1]}]}),
        ("timed", {"facts": [{}]}),
        ("timed", {"kind": "verdict"}),
        ("rows", {"sizes": [1]}),
        ("rows", {"sizes": ["all"]}),
        ("rows", {"kind": "rows", "sizes": []}),
        ("done", {"kind": "timed"}),
    ],
)
def test_forged_messages_are_tampering(kind: str, say: dict[str, Any], tmp_path: Path, uncounted: None) -> None:
    found = talk_to(entrant("solution", tmp_path), forged(kind=kind, say=say))
    assert found == ["tampering"] * 2


def test_no_more_rows_than_asked_for_are_taken(tmp_path: Path, uncounted: None) -> None:
    def more(header: dict[str, Any]) -> None:
        if header["kind"] == "rows":
            header["kind"], header["padding"] = "rows", "x" * MAX_HEADER_BYTES

    assert talk_to(entrant("solution", tmp_path), more) == ["tampering"] * 2


def talk_to(file: Entrant, forge: Callable[[dict[str, Any]], None]) -> list[str | None]:
    """Return the codes of a file whose worker, and no other, forges."""
    counted = [0]

    def made(part: str, device: str, **asked: Any) -> Any:
        if device == "cpu":
            return start([1.0])(part, device, **asked)
        counted[0] += 1
        return FakeWorker([1.0], forge) if counted[0] > 1 else FakeWorker([1.0])

    options = BenchOptions(SIZES, seed=3, timeout=30)
    return codes(Bencher(options, device="cpu", start=made).bench(PUZZLE, [file]), file.name)


def test_a_worker_without_a_file_that_lies_is_the_graders_fault() -> None:
    forge = forged(kind="baselines", say={"copy_gb_per_s": -1})
    with pytest.raises(WorkerBrokenError, match="PyTorch cannot be timed here"):
        run([], [1.0], forge=forge)


def test_a_drifting_gpu_is_told(tmp_path: Path, uncounted: None) -> None:
    seen = [0]

    def drift(header: dict[str, Any]) -> None:
        if header["kind"] == "copy":
            seen[0] += 1
            header["gb_per_s"] = 4000.0 if seen[0] < 4 else 3000.0

    found = run([entrant("solution", tmp_path)], [1.0], forge=drift)
    assert found.notes == ("While solution was timed, the speed of a copy changed by -25 %.",)


def test_a_baseline_that_this_gpu_lacks_is_told_as_absent(uncounted: None) -> None:
    def without_naive(header: dict[str, Any]) -> None:
        if header["kind"] == "baselines":
            del header["timings"]["naive torch"]

    found = run([], [1.0], forge=without_naive)
    assert codes(found, "naive torch") == ["not-available", "not-available"]
    assert codes(found, "torch.softmax") == [None, None]
