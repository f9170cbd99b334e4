"""Cases whose tensors are too large for the CPU, as a check sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Verdict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
LARGE = "more than 2^31 elements"


def checked(puzzle: Puzzle, file: Path) -> PuzzleResult:
    (result,) = check([(puzzle, file)], CheckOptions(device="cpu", seed=1)).results
    return result


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.stem)
def test_every_puzzle_has_one_and_only_gaps_leave_it_its_numbers(puzzle: Puzzle) -> None:
    large = [drawn for drawn in draw(puzzle, 1, "cpu", phantoms=True) if drawn.case.phantom]
    assert large
    for drawn in large:
        assert drawn.phantom is not bool(drawn.far_apart)
        assert bool(drawn.golden) is not drawn.phantom
        assert all(layout.storage.is_meta is drawn.phantom for layout in drawn.inputs)
    assert not any(drawn.case.phantom for drawn in draw(puzzle, 1, "cpu"))


def test_an_output_in_32_bits_alone_is_seen(tmp_path: Path) -> None:
    """Only the store wraps around, which no input far apart can show."""
    puzzle = PUZZLES[1]
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    assert "y_ptr + row * y_row_stride" in text
    file = tmp_path / "p01.py"
    file.write_text(text.replace("y_ptr + row * y_row_stride", "y_ptr + row.to(tl.int32) * y_row_stride"))
    result = checked(puzzle, file)
    assert result.verdict is Verdict.FAIL
    codes = ["int32-overflow", "written-twice", "large-tensor-unreached"]  # beyond 2^32 it comes back to the start
    assert [(finding.code, finding.case) for finding in result.findings] == [(code, LARGE) for code in codes]
    assert [case.name for case in result.cases if case.verdict is not Verdict.PASS] == [LARGE]


def test_the_form_of_the_result_counts(tmp_path: Path) -> None:
    puzzle = PUZZLES[1]
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    file = tmp_path / "p01.py"
    file.write_text(text.replace("    return y\n", "    return y[:60_000]\n"))
    result = checked(puzzle, file)
    assert {finding.case for finding in result.findings if finding.code == "wrong-shape"} >= {LARGE}


def test_tiles_that_are_nobodys_are_seen_where_a_cache_is_modelled(tmp_path: Path) -> None:
    """So many programs at most, and no loop over the tiles that are left: smaller cases have none."""
    (puzzle,) = (puzzle for puzzle in PUZZLES if puzzle.slug == "matmul")
    (case,) = (case.name for case in puzzle.cases if case.cached)
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    grid = 'return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)'
    assert grid in text
    file = tmp_path / "p07.py"
    file.write_text(text.replace(grid, f"{grid.replace('return (', 'return (min(512, ')[:-2]}),)"))
    (result,) = check([(puzzle, file)], CheckOptions(device="cpu", seed=1, case=case)).results
    assert result.verdict is Verdict.FAIL
    assert "unwritten-elements" in {finding.code for finding in result.errors}


@pytest.mark.parametrize(
    ("hostile", "code"),
    [
        ("large_in_its_first_rows", "large-tensor-unreached"),
        ("large_by_a_constant", "size-of-its-own"),
        ("wide_by_the_shapes_it_knows", "int32-overflow"),
    ],
)
def test_what_only_a_large_call_does_is_seen(hostile: str, code: str) -> None:
    found = checked(PUZZLES[1], ROOT / "tests" / "attacks" / "hostile" / PUZZLES[1].stem / f"{hostile}.py")
    assert (found.verdict, {finding.code for finding in found.errors}) == (Verdict.FAIL, {code})


def test_a_kernel_for_large_matrices_is_right_if_it_is_chosen_by_the_last_element(tmp_path: Path) -> None:
    puzzle = PUZZLES[1]
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    start, end = text.index("@triton.jit"), text.index("# %%", text.index("@triton.jit"))
    kernel, wide = text[start:end], "row = tl.program_id(0).to(tl.int64)"
    assert wide in kernel
    narrow = kernel.replace("def softmax_kernel", "def narrow_kernel").replace(wide, "row = tl.program_id(0)")
    host = text[end:].replace("softmax_kernel[grid]", "(softmax_kernel if far else narrow_kernel)[grid]")
    reach = "    far = max((n_rows - 1) * x.stride(0), y.numel()) + n_cols >= 2**31\n"
    host = host.replace("    grid = ", f"{reach}    grid = ")
    file = tmp_path / "p01.py"
    file.write_text(text[:start] + kernel + narrow + host)
    assert "if far else" in host
    assert reach in host
    assert checked(puzzle, file).verdict is Verdict.PASS
