"""The report of a wrong kernel whose mistake has no name: one sentence with variable, iteration, row and line."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.divergence.proof import QUICK, ROOT, mistaken
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.verdict.divergence.locate import located
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding, Verdict

pytestmark = pytest.mark.slow

PUZZLE = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.number == 3)
KERNEL = ROOT / "tests" / "mutants" / PUZZLE.stem / "wrong" / "sum_never_rescaled.py"


def test_it_says_until_when_which_variable_is_right_and_how_it_is_wrong() -> None:
    (result,) = check([(replace(PUZZLE, mistakes=()), KERNEL)], QUICK).results
    (found,) = result.errors
    line = next(n for n, text in enumerate(KERNEL.read_text().splitlines(), 1) if "    l += tl.sum(" in text)
    assert result.verdict is Verdict.FAIL
    assert (found.code, found.line) == ("wrong-values", line)
    assert re.fullmatch(r"m_new in all \d+ iterations", found.details["right"][0])
    assert "l, the running sum, is right after iteration 1 and" in found.message
    assert f"times too large after iteration 2, row {found.details['divergence']['row']}: line {line}." in found.message
    assert "does not know" not in found.message
    divergence = cast(dict[str, Any], found.details["divergence"])
    assert (divergence["quantity"], divergence["turn"]) == ("l", 2)
    assert divergence["given"] > divergence["right"]


def test_a_mistake_with_a_name_is_told_at_the_line_where_its_values_come_about() -> None:
    kernel = KERNEL.with_name("new_terms_rescaled_too.py")
    (result,) = check([(PUZZLE, kernel)], QUICK).results
    (found,) = result.errors
    assert found.code == "new-terms-rescaled-too"
    assert {found.line, (found.line or 0) - 1} & set(mistaken(kernel))
    assert "after the tile's terms are added" in found.message
    assert found.details["right"], "the maximum is right, and a learner reads so"


def test_a_maximum_that_is_replaced_too_early_is_told_at_its_line() -> None:
    kernel = KERNEL.with_name("max_updated_first.py")
    (result,) = check([(PUZZLE, kernel)], QUICK).results
    (found,) = result.errors
    assert found.code == "sum-not-rescaled"
    assert found.line is not None
    assert found.line in mistaken(kernel)
    assert f"`m` gets its new value before line {found.line + 1} has read the old one" in found.message


def test_what_no_variable_can_tell_more_of_needs_no_second_run() -> None:
    named = [Finding("strides-assumed", "Wrong where rows have gaps.")]

    def run(index: int) -> Any:
        raise AssertionError("a case was run once more")

    trial = cast(Trial, SimpleNamespace(task=PUZZLE))
    assert located(trial, [], named, run) == named
