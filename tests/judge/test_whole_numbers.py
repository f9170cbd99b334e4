"""Whole numbers and truth values are compared as such: float64 holds no more than 53 bits of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.judge.test_tolerances import drawn
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.report.cases import mismatch_sentences
from tritonpuzzles.judge.drawn import DrawnCase, Expected, widened
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.tolerances import EQUAL, Tolerance, close, deviation, exact, wrong_elements
from tritonpuzzles.judge.verdict.compare import Comparison, compare
from tritonpuzzles.judge.verdict.diagnosis import diagnose
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.submission import Submission

LARGE = 2**60
LAST = torch.iinfo(torch.int64).max
SOFTMAX = load_curriculum().find("1")
ORDINARY = drawn(replace(SOFTMAX, cases=SOFTMAX.cases[:1]), "ordinary numbers")


def case_of(truth: torch.Tensor) -> DrawnCase:
    """Return a case that asks for this output."""
    expected = Expected("n", tuple(truth.shape), str(truth.dtype).removeprefix("torch."))
    return replace(ORDINARY, outputs=(expected,), golden=(widened(truth),))


def compared(case: DrawnCase, given: torch.Tensor) -> Comparison:
    data = given.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    output = Output("Tensor", tuple(given.shape), str(given.dtype).removeprefix("torch."), "cpu", data)
    return compare(case, [output], (exact(case, 0),), "cpu", "f(x)")


def test_one_more_than_a_large_number_is_wrong_and_shown() -> None:
    truth = torch.tensor([[LARGE, -LARGE, 3]])
    result = compared(case_of(truth), truth + torch.tensor([[1, 0, 0]])).result
    assert result.mismatch is not None
    assert (result.mismatch.wrong, result.mismatch.expected, result.mismatch.got) == (1, LARGE, LARGE + 1)
    assert any(f"expected {LARGE}, got {LARGE + 1}." in line for line in mismatch_sentences(result.mismatch))
    assert compared(case_of(truth), truth).result.mismatch is None


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_every_type_of_whole_numbers(dtype: torch.dtype) -> None:
    truth = torch.tensor([[1, 0, 1]]).to(dtype)
    result = compared(case_of(truth), torch.tensor([[1, 1, 1]]).to(dtype)).result
    assert result.mismatch is not None
    assert (result.mismatch.wrong, result.mismatch.expected, result.mismatch.got) == (1, 0, 1)
    assert compared(case_of(truth), truth).result.mismatch is None
    assert close(case_of(truth), 0) == exact(case_of(truth), 0) == EQUAL


@pytest.mark.parametrize(
    ("given", "truth", "wrong"), [(LAST, -LAST, 1), (LAST, LAST - 1, 0), (LARGE, LARGE + 2, 1), (-LAST - 1, LAST, 1)]
)
def test_a_distance_neither_rounds_nor_wraps(given: int, truth: int, wrong: int) -> None:
    values, golden, one = torch.tensor([given]), torch.tensor([truth]), Tolerance(0.0, 1.0)
    assert deviation(values, golden, one).wrong == wrong
    assert int(wrong_elements(values, golden, one).sum()) == wrong


def test_wrong_whole_numbers_are_described() -> None:
    case = case_of(torch.arange(40).reshape(4, 10) + LARGE)
    given = compared(case, case.golden[0] * 2)
    judged = JudgedCase(case, CaseEvidence(), given, tolerances=(EQUAL,))
    (finding,) = diagnose(replace(SOFTMAX, mistakes=()), [judged], Submission.of(Path("p01.py")))
    assert "40 of 40 elements of n are wrong" in finding.message


def test_a_reference_may_give_whole_numbers(square: Puzzle) -> None:
    case = drawn(
        replace(square, reference="torch:argsort", outputs=(replace(square.outputs[0], dtype="int64"),)), "float16"
    )
    assert case.golden[0].dtype is torch.int64
    assert case.golden[0].sort().values.tolist() == list(range(case.shape[0]))
