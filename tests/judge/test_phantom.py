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

ROOT = Path(__file__).parents[2]
PUZZLES = load_curriculum().puzzles
LARGE = "more than 2^31 elements"


def checked(puzzle: Puzzle, file: Path) -> PuzzleResult:
    (result,) = check([(puzzle, file)], CheckOptions(device="cpu", seed=1)).results
    return result


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.stem)
def test_every_puzzle_has_one_and_no_numbers_are_drawn_for_it(puzzle: Puzzle) -> None:
    phantoms = [drawn for drawn in draw(puzzle, 1, "cpu", phantoms=True) if drawn.phantom]
    assert phantoms
    for drawn in phantoms:
        assert not drawn.golden
        assert all(layout.storage.is_meta for layout in drawn.inputs)
    assert not any(drawn.phantom for drawn in draw(puzzle, 1, "cpu"))


def test_an_output_in_32_bits_alone_is_seen(tmp_path: Path) -> None:
    """Only the store wraps around, which no input far apart can show."""
    puzzle = PUZZLES[1]
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    assert "y_ptr + row * y_row_stride" in text
    file = tmp_path / "p01.py"
    file.write_text(text.replace("y_ptr + row * y_row_stride", "y_ptr + row.to(tl.int32) * y_row_stride"))
    result = checked(puzzle, file)
    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    assert (finding.code, finding.case) == ("int32-overflow", LARGE)
    assert [case.name for case in result.cases if case.verdict is not Verdict.PASS] == [LARGE]


def test_the_form_of_the_result_counts(tmp_path: Path) -> None:
    puzzle = PUZZLES[1]
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    file = tmp_path / "p01.py"
    file.write_text(text.replace("    return y\n", "    return y[:60_000]\n"))
    result = checked(puzzle, file)
    assert {finding.case for finding in result.findings if finding.code == "wrong-shape"} >= {LARGE}


def test_tiles_that_are_nobodys_are_seen_where_a_cache_is_modelled(tmp_path: Path) -> None:
    """Programs by the multiprocessors, and no loop over the tiles that are left: smaller cases have none."""
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
