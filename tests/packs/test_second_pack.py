"""A pack of other kinds, written without a line of grader code about it.

Plain values and two outputs of different dtypes; an index of whole numbers; a backward call. Its `dev check` takes
minutes: `tritonpuzzles --pack tests/second_pack dev check all`. Here go the stubs, the solutions, and some kernels.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.turns import on_odd_turns, part
from tritonpuzzles.curriculum.pack import open_pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import read_corpus
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult, Verdict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "tests" / "second_pack"


def puzzles() -> tuple[Puzzle, ...]:
    open_pack(PACK)
    try:
        return load_curriculum().puzzles
    finally:
        open_pack(None)


PUZZLES = pytest.mark.parametrize("puzzle", puzzles(), ids=lambda puzzle: puzzle.slug)


def checked(puzzle: Puzzle, *paths: Path) -> tuple[PuzzleResult, ...]:
    options = CheckOptions(device="cpu", seed=1, targets=())
    return check([(puzzle, path) for path in paths], options).results


@PUZZLES
def test_the_stub_is_open_and_the_solution_passes(puzzle: Puzzle) -> None:
    stub, solution = (PACK / folder / f"{puzzle.stem}.py" for folder in ("puzzles", "solutions"))
    found = checked(puzzle, stub, solution)
    assert [result.verdict for result in found] == [Verdict.UNSOLVED, Verdict.PASS], found[1].findings


@pytest.mark.corpus
@on_odd_turns
@PUZZLES
def test_wrong_kernels_are_named_and_right_ones_pass(puzzle: Puzzle) -> None:
    corpus = read_corpus(PACK / "mutants", puzzle, "cpu")
    assert len(corpus.wrong) >= 15
    assert len(corpus.right) >= 6
    wrong, right = part(corpus.wrong, in_ci=4, otherwise=4), part(corpus.right, in_ci=2, otherwise=2)
    found = checked(puzzle, *(mutant.path for mutant in wrong), *right)
    for mutant, result in zip(wrong, found, strict=False):
        assert not result.passed, mutant.name
    codes = [{finding.code for finding in result.findings} for result in found]
    unnamed = [mutant.name for mutant, said in zip(wrong, codes, strict=False) if mutant.code not in said]
    assert len(unnamed) <= 1, unnamed
    for path, result in zip(right, found[len(wrong) :], strict=True):
        assert result.passed, (path.name, result.findings)


def test_the_grader_knows_nothing_of_it() -> None:
    package = ROOT / "grader" / "tritonpuzzles"
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    for word in ("rms_norm", "gather_rows", "swish"):
        assert not [text for text in texts if word in text], word
