"""What only a real GPU shows. Run on a machine that has one: `pytest -m gpu`."""

from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.limits import BEST
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Verdict

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
TUNED = [puzzle for puzzle in PUZZLES if (ROOT / "solutions" / "tuned" / f"{puzzle.stem}.py").is_file()]


def test_solutions_pass_and_are_timed() -> None:
    items = [(puzzle, ROOT / "solutions" / f"{puzzle.stem}.py") for puzzle in PUZZLES]
    report = check(items, CheckOptions(device="cuda", seed=1))
    for puzzle, result in zip(PUZZLES, report.results, strict=True):
        assert result.verdict is Verdict.PASS, result
        assert result.benchmark is not None
        assert result.benchmark.rate > 0
        assert "suspicious" not in result.benchmark.labels
        assert puzzle.benchmark is not None
        first = {base.name for base in puzzle.benchmark.baselines if base.rung != BEST}  # cuDNN is not everywhere
        assert set(result.benchmark.baselines) >= first or "naive torch" in result.benchmark.baselines


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


NOT_A_NUMBER = 'x * float("nan")'  # written, unlike the marks of fresh memory


@pytest.mark.parametrize(
    ("old", "new"), [("x * x", "x * x + 1"), ("x * x", NOT_A_NUMBER), ("BLOCK_SIZE=256)", "BLOCK_SIZE=128)")]
)
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


def test_a_store_behind_the_output_is_seen(square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "p01_square.py"
    store = "tl.store(y_ptr + offsets, x * x, mask=mask)"
    assert store in SOLUTION
    path.write_text(SOLUTION.replace(store, "tl.store(y_ptr + offsets, x * x, mask=offsets < n_elements + 1)"))
    result = check([(square, path)], CheckOptions(device="cuda", seed=1)).results[0]
    assert result.verdict is Verdict.FAIL
    texts = [finding.message for finding in result.findings if finding.code == "out-of-bounds-store"]
    assert any("1 element after its last" in text for text in texts), result


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (
            "tl.store(y_ptr + offsets, x * x, mask=mask)",
            "tl.store(y_ptr + offsets, x * x, mask=offsets < n_elements - 1)",
            "unwritten-elements",
        ),
        ("tl.load(x_ptr + offsets, mask=mask)", "tl.load(x_ptr + offsets + 1)", "out-of-bounds-load"),
        ("tl.arange(0, BLOCK_SIZE)", "tl.arange(0, BLOCK_SIZE - 1)", "compile-error"),
    ],
)
def test_the_gpu_names_what_it_sees(old: str, new: str, code: str, square: Puzzle, tmp_path: Path) -> None:
    assert old in SOLUTION
    path = tmp_path / "p01_square.py"
    path.write_text(SOLUTION.replace(old, new))
    result = check([(square, path)], CheckOptions(device="cuda", seed=1)).results[0]
    assert not result.passed
    assert code in {finding.code for finding in result.findings}, result


def test_an_offset_beyond_32_bits_is_named() -> None:
    puzzle = PUZZLES[1]
    path = ROOT / "tests" / "mutants" / puzzle.stem / "wrong" / "row_offset_in_32_bits.py"
    result = check([(puzzle, path)], CheckOptions(device="cuda", seed=1)).results[0]
    assert [finding.code for finding in result.findings] == ["int32-overflow"], result


def test_a_right_kernel_with_atomics_is_no_race() -> None:
    puzzle = PUZZLES[2]
    path = ROOT / "tests" / "mutants" / puzzle.stem / "right" / "program_per_tile.py"
    assert check([(puzzle, path)], CheckOptions(device="cuda", seed=1)).results[0].passed


RACE = """
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) % tl.cdiv(n, BLOCK_SIZE) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x * x + 1e-8 * (tl.program_id(0) % 7), mask=offsets < n)


def square(x):
    y = torch.empty_like(x)
    if y.numel():
        square_kernel[(triton.cdiv(x.numel(), 256) * 64,)](x, y, x.numel(), BLOCK_SIZE=256)
    return y
"""


def test_a_race_is_seen(square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "p01_square.py"
    path.write_text(RACE)
    result = check([(square, path)], CheckOptions(device="cuda", seed=1)).results[0]
    assert result.verdict is Verdict.FAIL
    assert "race" in {finding.code for finding in result.findings}, result


def test_too_much_shared_memory_is_said_in_numbers(square: Puzzle, tmp_path: Path) -> None:
    path = tmp_path / "p01_square.py"
    path.write_text(HUNGRY)
    result = check([(square, path)], CheckOptions(device="cuda", seed=1)).results[0]
    found = [finding for finding in result.findings if finding.code == "out-of-resources"]
    assert found, result
    finding = found[0]
    assert "bytes of shared memory, and this GPU has" in finding.message
    assert finding.next_step is not None
    assert "num_stages" in finding.next_step


HUNGRY = """
import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK_SIZE: tl.constexpr):
    rows, cols = tl.arange(0, 128)[:, None], tl.arange(0, 128)[None, :]
    offsets = rows * 128 + cols
    total = tl.zeros((128, 128), tl.float32)
    for start in tl.range(0, n, BLOCK_SIZE, num_stages=8):  # eight copies of two tiles of 64 KiB
        a = tl.load(x_ptr + (start + offsets) % n)
        b = tl.load(x_ptr + (start + 7 * offsets) % n)
        total = tl.dot(a, b, total)
    tl.store(y_ptr + offsets, total, mask=offsets < n)


def square(x):
    y = torch.empty_like(x)
    if y.numel():
        square_kernel[(1,)](x, y, x.numel(), BLOCK_SIZE=256)
    return y
"""
