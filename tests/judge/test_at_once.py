"""A grid is held against the GPU that its host function found: no more programs than fit, no multiprocessor idle."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.judge.test_patterns import drawn
from tritonpuzzles.curriculum.limits import AtOnce, Limits
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.grids import grid_occupancy
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.speed import Fit
from tritonpuzzles.wire.observed import LaunchSummary

ROWS = 1823
LIMITS = Limits(at_once=AtOnce("n_rows", "rows"))
FIT = Fit(4, "registers", 8, 64, 60, 512)  # 4 programs of 8 warps on each multiprocessor
H100, T4 = example("sm_90"), example("sm_75")


def case(rows: int = ROWS) -> DrawnCase:
    return drawn("some rows", [torch.ones(rows, 3)], "contiguous", None)


def evidence(
    programs: int, fit: Fit | None = FIT, gpu: object = H100, unknown: str = "", busy: int | None = None
) -> CaseEvidence:
    launch = LaunchSummary("softmax_kernel", 7, (programs, 1, 1), programs, 4, {"BLOCK_SIZE": 4}, fit, unknown)
    launch = replace(launch, busy=busy)
    return CaseEvidence(launches=[launch], gpu=gpu)  # type: ignore[arg-type]


def found(programs: int, rows: int = ROWS, **more: object) -> list[Finding]:
    return list(limit_findings(LIMITS, case(rows), evidence(programs, **more)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("programs", "rows"),
    [(528, ROWS), (132, ROWS), (133, ROWS), (5, 5), (132, 5), (131, 131)],
    ids=["as many as fit", "one each", "one more", "one per row", "more than rows", "fewer rows than multiprocessors"],
)
def test_a_grid_that_fits_and_fills_the_gpu(programs: int, rows: int) -> None:
    assert found(programs, rows) == []


def test_one_program_too_many() -> None:
    (finding,) = found(529)
    assert finding.code == "more-programs-than-fit"
    assert finding.message == (
        "softmax_kernel is launched with 529 programs; the NVIDIA H100 holds 132 x 4 = 528 at once: a multiprocessor "
        "has registers for 4 programs of 8 warps with 60 a thread."
    )
    assert (finding.line, finding.case) == (7, "some rows")
    assert finding.details["at_once"] == 528


def test_the_same_number_is_too_large_for_a_smaller_gpu_and_too_small_for_a_larger_one() -> None:
    assert found(108) != []
    assert found(108)[0].code == "idle-multiprocessors"
    assert [finding.code for finding in found(528, gpu=T4)] == ["more-programs-than-fit"]
    assert found(108, gpu=T4) == []


def test_idle_multiprocessors_are_counted() -> None:
    (finding,) = found(100, fit=None)
    assert finding.message == (
        "softmax_kernel is launched with 100 programs for 1,823 rows; 32 of the 132 multiprocessors of the NVIDIA H100 "
        "are idle."
    )


def test_programs_that_do_nothing_fill_no_multiprocessor() -> None:
    (finding,) = found(264, busy=64)
    assert (finding.code, finding.details["idle"]) == ("idle-multiprocessors", 67)  # 131 programs of 14 rows would do
    assert "264 programs (64 of them with anything to load or store) for 1,823 rows" in finding.message
    assert found(264, busy=0) == []  # a stub
    assert found(132, 140, busy=70) == []  # two rows each
    assert len(found(132, 140, busy=69)) == 1


@pytest.mark.parametrize(("limited_by", "words"), [
    ("warps", "a multiprocessor has room for 64 warps, and a program has 8"),
    ("shared memory", "a multiprocessor has shared memory for 4 programs with 512 bytes each"),
    ("blocks", "a multiprocessor holds no more than 4 programs"),
])  # fmt: skip
def test_the_sentence_names_what_is_full(limited_by: str, words: str) -> None:
    (finding,) = found(ROWS, fit=replace(FIT, limited_by=limited_by))
    assert finding.message.endswith(f"= 528 at once: {words}.")


def test_the_blocks_of_a_program_count_each() -> None:
    cluster = replace(FIT, per_multiprocessor=1, num_ctas=8)
    assert found(16, fit=cluster) == []  # 4 of 132 multiprocessors hold no cluster of 8
    (more,) = found(17, fit=cluster)
    assert "132 x 1 / 8 = 16 at once" in more.message
    (fewer,) = found(15, fit=cluster)
    assert fewer.code == "idle-multiprocessors"


def test_what_cannot_be_known_is_no_pass() -> None:
    (finding,) = found(528, fit=None, unknown="softmax_kernel was not compiled.")
    assert finding.code == "occupancy-unknown"
    assert finding.message.startswith("It is not known how many programs")
    assert finding.message.endswith("at once: softmax_kernel was not compiled.")
    assert found(132, fit=None) == []  # one fits on each multiprocessor, or it cannot be launched at all


def test_what_does_not_compile_says_so_itself() -> None:
    seen = evidence(528, fit=None, unknown="softmax_kernel does not compile.")
    rejected = Finding("compile-error", "softmax_kernel does not compile.", line=3)
    assert list(limit_findings(LIMITS, case(), replace(seen, findings=[rejected]))) == []


def test_nobody_asks_where_there_is_no_limit_or_no_work() -> None:
    assert list(limit_findings(Limits(), case(), evidence(ROWS))) == []
    assert list(limit_findings(LIMITS, case(0), evidence(1))) == []


def test_the_report_shows_the_largest_case_and_one_that_is_wrong_first() -> None:
    small, large = (JudgedCase(case(rows), evidence(132)) for rows in (200, ROWS))
    shown = grid_occupancy(LIMITS.at_once, [small, large])
    assert shown is not None
    assert (shown.work, shown.programs, shown.least, shown.most, shown.at_once) == (ROWS, 132, 13, 14, 528)
    assert shown.occupancy == 8 / 64
    small.findings = found(529)
    wrong = grid_occupancy(LIMITS.at_once, [small, large])
    assert wrong is not None
    assert wrong.work == 200
    assert grid_occupancy(None, [small, large]) is None


@pytest.mark.parametrize(("programs", "occupancy"), [(132, 1 / 8), (133, 2 / 8), (528, 4 / 8), (5000, 4 / 8)])
def test_occupancy_is_the_share_of_the_warps_that_a_multiprocessor_holds(programs: int, occupancy: float) -> None:
    shown = grid_occupancy(LIMITS.at_once, [JudgedCase(case(), evidence(programs))])
    assert shown is not None
    assert shown.occupancy == occupancy
