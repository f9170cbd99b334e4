"""What DRAM reads behind a modelled L2 cache is held against sizes that the judge knows itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.judge.test_patterns import drawn
from tritonpuzzles.curriculum.limits import Bound
from tritonpuzzles.curriculum.record import Limits
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.evidence.memory import cache_traffic
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.traffic import dram_findings, most_dram_reads
from tritonpuzzles.results.check import Finding, Verdict, plain
from tritonpuzzles.results.cover import account_of
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import CachedLine, CacheTraffic
from tritonpuzzles.wire.observed import LaunchSummary

SIZE = 4 * 300  # bytes of the only input
LIMITS = Limits(dram_reads=Bound("3 * n_rows * n_cols * itemsize", "rows are shared"))
LAUNCH = LaunchSummary("kernel", 7, (9, 1, 1), 9, 4, {"BLOCK": 4})


def case(cached: bool = True) -> DrawnCase:
    found = drawn("many tiles", [torch.ones(100, 3)], "contiguous", None)
    return replace(found, case=replace(found.case, cached=cached))


def traffic(read: int, problem: str | None = None, in_order: int | None = 9 * SIZE) -> CacheTraffic:
    lines = (CachedLine("p.py", 12, "x_ptr", "x", read, 0), CachedLine("p.py", 14, "y_ptr", "y", 0, SIZE))
    return CacheTraffic("NVIDIA RTX 3050 Laptop", 2 << 20, (4,), lines, problem=problem, in_order_bytes=in_order)


def evidence(cache: CacheTraffic | None) -> CaseEvidence:
    return CaseEvidence(launches=[LAUNCH], cache=cache)


def found(cache: CacheTraffic | None, cached: bool = True) -> list[Finding]:
    return list(dram_findings(LIMITS, case(cached), evidence(cache)))


@pytest.mark.parametrize("more", [0, 32])
def test_as_much_as_is_allowed_and_less_than_one_percent_more(more: int) -> None:
    assert found(traffic(3 * SIZE + more)) == []


def test_two_sectors_more() -> None:
    (finding,) = found(traffic(3 * SIZE + 64))
    assert (finding.code, finding.line, finding.case) == ("too-many-dram-reads", 7, "many tiles")
    assert finding.message == (
        "DRAM reads x 3.05 times, by a model of the L2 cache of 2 MiB of the RTX 3050 Laptop; at most 3 are "
        "allowed: rows are shared. In row-major order of the programs it would read them 9.00 times."
    )
    assert finding.details == {"read_bytes": 3 * SIZE + 64, "limit": 3 * SIZE, "in_order_bytes": 9 * SIZE}


@pytest.mark.parametrize(
    "cache", [None, traffic(0, problem="It touches too much."), traffic(0, in_order=None)], ids=["none", "why", "half"]
)
def test_without_a_model_there_is_no_pass(cache: CacheTraffic | None) -> None:
    assert [finding.code for finding in found(cache)] == ["dram-reads-unknown"]


def test_other_cases_are_not_asked() -> None:
    assert found(None, cached=False) == []
    assert list(dram_findings(Limits(), case(), evidence(None))) == []


def test_copies_of_the_host_function_count() -> None:
    assert found(replace(traffic(2 * SIZE), copied_bytes=SIZE)) == []
    assert found(replace(traffic(2 * SIZE), copied_bytes=SIZE + 64)) != []


def test_the_report_has_the_case_that_comes_nearest_to_the_limit() -> None:
    judged = [JudgedCase(case(), evidence(traffic(times * SIZE)), None, []) for times in (1, 2)]
    reads = most_dram_reads(LIMITS.dram_reads, judged)
    assert reads is not None
    assert (reads.read_bytes, reads.limit_bytes, reads.at_once, reads.programs) == (2 * SIZE, 3 * SIZE, 4, 9)
    assert [(item.tensor, item.times) for item in reads.tensors] == [("x", 2.0)]
    assert most_dram_reads(None, judged) is None
    stub = [JudgedCase(case(), evidence(traffic(0)), None, [])]
    assert most_dram_reads(LIMITS.dram_reads, stub) is None


def test_beside_another_mistake_it_is_one_line() -> None:
    (costly,) = found(traffic(9 * SIZE))
    wrong = Finding("wrong-values", "Wrong.", case="ordinary numbers")
    account = account_of([costly, wrong])
    assert [group.first.code for group in account.open] == ["wrong-values"]
    assert [group.first.code for group in account.beside] == ["too-many-dram-reads"]
    assert [group.first.code for group in account_of([costly]).open] == ["too-many-dram-reads"]


@pytest.mark.parametrize("told", [-1, float("nan"), "many", True, 1 << 80])
def test_what_a_worker_tells_is_read_strictly(told: object) -> None:
    data = {**plain(traffic(SIZE)), "in_order_bytes": told}
    with pytest.raises((ValueError, TypeError)):
        cache_traffic(data, Submission.of(Path("p.py")))


@pytest.mark.slow
def test_the_case_does_not_run_where_another_is_wrong() -> None:
    (puzzle,) = (puzzle for puzzle in load_curriculum().puzzles if puzzle.slug == "matmul")
    corpus = Path(__file__).parents[1] / "mutants" / puzzle.stem
    files = [corpus / "wrong" / "slope_of_a_tenth.py", corpus / "wrong" / "group_of_one.py"]
    report = check([(puzzle, file) for file in files], CheckOptions(device="cpu", seed=1, benchmark=False))
    wrong, costly = report.results
    assert (wrong.verdict, wrong.dram) == (Verdict.FAIL, None)
    assert len(wrong.cases) == len(costly.cases) - 1
    assert [finding.code for finding in costly.errors] == ["too-many-dram-reads"]
    assert costly.dram is not None
    assert costly.dram.read_bytes > costly.dram.limit_bytes
    assert costly.dram.read_bytes == costly.dram.in_order_bytes  # it goes row by row
