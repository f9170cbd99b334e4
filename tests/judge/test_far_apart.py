"""A matrix with rows 2^30 elements apart: sent without its gaps, spread out by the worker, named when it goes wrong."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tritonpuzzles.curriculum.record import FAR_LAYOUTS
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.engine.memory import laid_out
from tritonpuzzles.judge.drawn import BEYOND, FAR, DrawnCase, lay_out
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.inputs import draw, fitting
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.job import job_input
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.job import JobInput

PUZZLE = load_curriculum().puzzles[1]


def far() -> DrawnCase:
    """Draw the one case, without the large ones beside it."""
    cases = tuple(case for case in PUZZLE.cases if case.layout == "far_apart")
    (found,) = draw(replace(PUZZLE, cases=cases, benchmark=None), 1, "cuda")
    return found


def test_what_is_sent_has_no_gaps() -> None:
    layout = lay_out(torch.arange(12.0).reshape(3, 4), "far_apart", random.Random(1))
    assert layout.storage.numel() == 12
    assert layout.far_stride == FAR


def test_columns_far_apart_lie_in_one_piece_each() -> None:
    matrix = torch.arange(12.0).reshape(3, 4)
    layout = lay_out(matrix, "columns_far_apart", random.Random(1))
    assert torch.equal(layout.tensor(), matrix)
    item = job_input("b", "", layout)
    assert (item.stride, item.storage_bytes) == ((1, FAR), (3 * FAR + 3) * 4)


def test_the_worker_spreads_the_rows() -> None:
    rows = torch.arange(12.0).reshape(3, 4)
    item = JobInput("x", "", "float32", 24 * 4, (3, 4), (10, 1), 0, far_stride=10)
    matrix = laid_out(rows, item, lambda elements, dtype: torch.zeros(elements + 8, dtype=dtype)[4:-4])
    assert matrix.stride() == (10, 1)
    assert torch.equal(matrix, rows)
    around = torch.empty(0).set_(matrix.untyped_storage())
    assert around.numel() == 24 + 8
    assert int(torch.isnan(around).sum()) == 12


def test_the_worker_spreads_the_columns() -> None:
    values = torch.arange(12.0).reshape(4, 3).mT
    item = JobInput("b", "", "float32", 33 * 4, (3, 4), (1, 10), 0, far_stride=10)
    matrix = laid_out(values, item, lambda elements, dtype: torch.zeros(elements, dtype=dtype))
    assert matrix.stride() == (1, 10)
    assert torch.equal(matrix, values)


def test_the_third_row_begins_beyond_32_bits() -> None:
    assert 2 * FAR > 2**31 - 1
    assert far().shape[0] >= 3


def test_an_illegal_access_there_is_the_overflow() -> None:
    drawn = far()
    trial = Trial(PUZZLE, Submission.of(Path("p01.py")), "cuda", [drawn], None, lambda _: None)
    failure = Finding("illegal-memory-access", "The kernel reads memory that is not its own.")
    (finding,) = judge_case(trial, drawn, CaseEvidence(failure=failure)).findings
    assert finding.code == "int32-overflow"
    assert "row 2 begins 2,147,483,648 elements into x" in finding.message


@pytest.mark.parametrize(("gib", "kept"), [(7.9, False), (14.6, True)])
def test_a_small_gpu_is_not_given_it(gib: float, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Properties:
        total_memory = int(gib * 2**30)

    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: Properties)
    cases, notes = fitting([far()], "cuda")
    assert bool(cases) is kept
    assert [(note.code, note.severity) for note in notes] == ([] if kept else [("case-left-out", Severity.NOTE)])


def test_of_several_tensors_the_one_that_lies_far_apart_is_named() -> None:
    matmul = load_curriculum().find("7")
    cases = tuple(case for case in matmul.cases if set(FAR_LAYOUTS) & set(case.layouts.values()))
    named = {}
    for drawn in draw(replace(matmul, cases=cases, benchmark=None), 1, "cpu", phantoms=True):
        trial = Trial(matmul, Submission.of(Path("p07.py")), "cuda", [drawn], None, lambda _: None)
        failure = Finding("illegal-memory-access", "The kernel reads memory that is not its own.")
        (finding,) = judge_case(trial, drawn, CaseEvidence(failure=failure)).findings
        begins = re.search(r": (row|column) [\d,]+ begins ([\d,]+) elements into ([ab]), and", finding.message)
        assert finding.code == "int32-overflow"
        assert begins is not None
        assert int(begins[2].replace(",", "")) >= BEYOND
        named[drawn.case.layout_in_words] = begins[1], begins[3]
    assert named == {
        "a apart": ("row", "a"),
        "a columns apart": ("column", "a"),
        "a columns far apart": ("column", "a"),
        "b apart": ("row", "b"),
        "b columns apart": ("column", "b"),
        "b far apart": ("row", "b"),
    }


@pytest.mark.parametrize(("shape", "layout"), [((70_000, 2), "apart"), ((2, 70_000), "columns_apart")])
def test_no_more_than_the_last_of_many_begin_beyond_32_bits(shape: tuple[int, int], layout: str) -> None:
    matrix = torch.arange(140_000.0).reshape(shape)
    drawn = [lay_out(matrix, layout, random.Random(seed)) for seed in range(3)]
    assert all(torch.equal(made.tensor(), matrix) for made in drawn)
    steps = [made.far_stride or 0 for made in drawn]
    assert len(set(steps)) == len(steps)
    assert all(1.2 * BEYOND < 69_999 * step < 1.8 * BEYOND for step in steps)
