"""What only a real GPU shows. Run on a machine that has one: `pytest -m gpu`."""

from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results import Verdict

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
TUNED = [puzzle for puzzle in PUZZLES if (ROOT / "solutions" / "tuned" / f"{puzzle.stem}.py").is_file()]


def test_solutions_pass_and_are_timed() -> None:
    items = [(puzzle, ROOT / "solutions" / f"{puzzle.stem}.py") for puzzle in PUZZLES]
    for result in check(items, CheckOptions(device="cuda", seed=1)).results:
        assert result.verdict is Verdict.PASS, result
        assert result.benchmark is not None
        assert result.benchmark.rate > 0
        assert "suspicious" not in result.benchmark.labels
        assert set(result.benchmark.baselines) >= {"naive torch"}


def test_tuned_solutions_pass() -> None:
    items = [(puzzle, ROOT / "solutions" / "tuned" / f"{puzzle.stem}.py") for puzzle in TUNED]
    report = check(items, CheckOptions(device="cuda", seed=1, benchmark=False))
    assert [result.verdict for result in report.results] == [Verdict.PASS] * len(TUNED), report


def test_stubs_are_unsolved() -> None:
    items = [(puzzle, ROOT / "puzzles" / f"{puzzle.stem}.py") for puzzle in PUZZLES]
    report = check(items, CheckOptions(device="cuda", seed=1))
    assert {result.verdict for result in report.results} == {Verdict.UNSOLVED}


def test_an_illegal_access_does_not_harm_the_next_file(square: Puzzle, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text(
        SOLUTION.replace("tl.store(y_ptr + offsets,", "tl.store(y_ptr + (offsets + 1).to(tl.int64) * 2**40,")
    )
    good.write_text(SOLUTION)
    report = check([(square, bad), (square, good)], CheckOptions(device="cuda", seed=1))
    assert [result.verdict for result in report.results] == [Verdict.ERROR, Verdict.PASS], report
    assert "illegal-memory-access" in {finding.code for finding in report.results[0].findings}


@pytest.mark.parametrize(("old", "new"), [("x * x", "x * x + 1"), ("BLOCK_SIZE=256)", "BLOCK_SIZE=128)")])
def test_wrong_kernels_fail(old: str, new: str, square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(SOLUTION.replace(old, new))
    assert check([(square, path)], CheckOptions(device="cuda", seed=1)).results[0].verdict is Verdict.FAIL


def test_both_devices_are_used_by_default(square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "p01_square.py"
    path.write_text(SOLUTION)
    result = check([(square, path)], CheckOptions(seed=1)).results[0]
    assert result.verdict is Verdict.PASS
    assert {case.device for case in result.cases} == {"cpu", "cuda"}
