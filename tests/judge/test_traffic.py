"""What a tensor moves is compared with its limit: what is free beyond it, and which numbers a report prints."""

from __future__ import annotations

import pytest
import torch

from tests.judge.test_patterns import drawn
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.traffic import INPUT, OUTPUT, LineTraffic, Traffic
from tritonpuzzles.wire.observed import HostCopy, LaunchSummary

ROWS, ITEM = 100, 4
LAUNCH = LaunchSummary("softmax_kernel", 30, (ROWS, 1, 1), ROWS, 64, {})


def found(
    loaded: int, n_cols: int, limits: Limits | None = None, stored: int = 0, copies: tuple[HostCopy, ...] = ()
) -> list[Finding]:
    """Return what is said of x, of which so many elements are loaded, in line 12, and stored, in line 20."""
    case = drawn("one", [torch.ones(ROWS, n_cols)], "contiguous", None)
    size = ITEM * ROWS * n_cols
    copied = size * len(copies)
    row = Traffic("x_ptr", ITEM * loaded + copied, ITEM * stored, 0, 0, tensor="x", role=INPUT)
    times = {"loaded_times": row.loaded_bytes / size, "stored_times": row.stored_bytes / size}
    lines = [LineTraffic("p.py", 12, "x_ptr", ITEM * loaded, 0, tensor="x")]
    lines += [LineTraffic("p.py", 20, "x_ptr", 0, ITEM * stored, tensor="x")] if stored else []
    traffic = [Traffic(**{**vars(row), **times})]
    evidence = CaseEvidence(traffic=traffic, lines=lines, launches=[LAUNCH], copies=list(copies))
    return list(limit_findings(limits or Limits(loads={"x": 2}, stores={"x": 0}), case, evidence))


@pytest.mark.parametrize("n_cols", [1, 2, 33, 781, 10_000])
def test_one_element_more_of_each_row_is_free(n_cols: int) -> None:
    assert found(2 * ROWS * n_cols + ROWS, n_cols) == []


@pytest.mark.parametrize(("more", "ok"), [(1, True), (15, True), (20, True), (21, False), (1000, False)])
def test_less_than_one_percent_is_free(more: int, ok: bool) -> None:
    assert (found(ROWS * (2000 + more), 1000) == []) == ok


def test_what_is_too_much_looks_so() -> None:
    (finding,) = found(2 * ROWS * 3 + ROWS + 1, 3)
    assert finding.message == "x is read 2.34 times (line 12); two passes suffice."
    (finding,) = found(13, 50, Limits(loads={"x": 0}))
    assert finding.message == "x is read 0.003 times (line 12); it need not be at all."
    (finding,) = found(152_000, 5000, Limits(loads={"x": 0.3}))
    assert finding.message == "x is read 0.304 times (line 12); 0.3 times suffice."


def test_a_limit_of_nothing_is_exact() -> None:
    assert [finding.code for finding in found(ROWS * 9, 9, stored=1)] == ["too-many-stores"]


def test_a_copy_that_is_one_pass_too_many_is_told_at_its_line() -> None:
    (finding,) = found(2 * ROWS * 9, 9, copies=(HostCopy("x", 41),))
    assert (finding.file, finding.line) == ("p.py", 41)
    assert finding.message == "x is read 3.00 times (line 12, and PyTorch's copy in line 41); two passes suffice."
    assert "Pass the input itself" in str(finding.next_step)


def test_a_kernel_that_reads_too_often_beside_a_copy_is_told_of_its_own_lines() -> None:
    (finding,) = found(3 * ROWS * 9, 9, copies=(HostCopy("x", 41),))
    assert finding.line == 12
    assert "Keep the results of a pass" in str(finding.next_step)


def test_a_copy_that_is_written_is_called_a_copy() -> None:
    findings = found(ROWS * 9, 9, stored=ROWS * 9, copies=(HostCopy("x", 41),))
    assert [(finding.code, finding.line) for finding in findings] == [("too-many-stores", 41)]
    assert findings[0].message == "A copy of x is written 1.00 times (line 20); it need not be at all."


@pytest.mark.parametrize(("more", "ok"), [(0, True), (35, True), (37, False)])
def test_of_all_bytes_one_percent_is_free(more: int, ok: bool) -> None:
    case = drawn("one", [torch.ones(ROWS, 9)], "contiguous", None)
    row = Traffic("y_ptr", 0, 3600 + more, 0, 1, tensor="y", role=OUTPUT)
    evidence = CaseEvidence(traffic=[row], launches=[LAUNCH])
    assert (list(limit_findings(Limits(bytes=Bound(3600)), case, evidence)) == []) == ok
