"""Kernels as real projects write them: the wrong ones are named, the right ones pass.

All of them take a quarter of an hour: `tritonpuzzles dev check all --corpus tests/real_style`. Here goes a third, in CI
another sixth at every second commit, which is compiled only where the mistake is one for the compiler.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.turns import on_odd_turns, part
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import proof_of, read_corpus
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.cover import MENDED

HOME = Path(__file__).resolve().parent
PUZZLES = [puzzle for puzzle in load_curriculum().puzzles if (HOME / puzzle.stem).is_dir()]
QUICK = CheckOptions(device="cpu", seed=1, targets=(), timeout=120.0)  # a slow machine runs as many cases
COMPILED = replace(QUICK, targets=CheckOptions().targets)


def checked(puzzle: Puzzle, path: Path, *, compiled: bool = False) -> PuzzleResult:
    (result,) = check([(puzzle, path)], COMPILED if compiled else QUICK).results
    return result


def test_every_puzzle_whose_kernel_real_projects_write_has_such_kernels() -> None:
    assert {puzzle.number for puzzle in PUZZLES} >= set(range(8))


@pytest.mark.corpus
@on_odd_turns
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.slug)
class TestRealStyle:
    def test_wrong_kernels_are_rejected_and_named(self, puzzle: Puzzle) -> None:
        wrong = read_corpus(HOME, puzzle, "cpu").wrong
        assert len(wrong) >= 8
        for mutant in part(wrong, in_ci=9, otherwise=3, start=puzzle.number):
            result = checked(puzzle, mutant.path, compiled=mutant.code == "compile-error")
            assert result.verdict.value in ("fail", "error"), mutant.name
            named = mutant.code in {finding.code for finding in result.errors}
            assert named or proof_of(result) == MENDED, mutant.name  # by its code, or by the change that makes it right

    def test_right_kernels_pass(self, puzzle: Puzzle) -> None:
        right = read_corpus(HOME, puzzle, "cpu").right
        assert len(right) >= 5
        for path in part(right, in_ci=9, otherwise=3, start=puzzle.number):
            result = checked(puzzle, path)
            assert result.passed, (path.name, result.findings)
