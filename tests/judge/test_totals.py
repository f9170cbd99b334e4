"""Limits hold for all launches and for all tensors together: what is shared out between them is added up."""

from __future__ import annotations

import pytest
import torch

from tests.judge.test_patterns import drawn
from tritonpuzzles.curriculum.limits import Bound, Limits
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.traffic import LineTraffic, Traffic
from tritonpuzzles.wire.observed import LaunchSummary

AT_MOST, AT_LEAST = Limits(programs_at_most=Bound(8)), Limits(programs_at_least=Bound(8))


def launch(kernel: str, programs: int, *written: str, line: int = 30) -> LaunchSummary:
    return LaunchSummary(kernel, line, (programs, 1, 1), programs, 64, {}, written=written)


def found(limits: Limits, evidence: CaseEvidence) -> list[Finding]:
    return list(limit_findings(limits, drawn("one", [torch.ones(16, 9)], "contiguous", None), evidence))


def programs(limits: Limits, *launches: LaunchSummary) -> list[str]:
    return [finding.message for finding in found(limits, CaseEvidence(launches=list(launches)))]


@pytest.mark.parametrize(
    ("launches", "words"),
    [
        ([launch("k", 8, "y")], None),
        ([launch("k", 5, "y"), launch("k", 4, "y")], "k is launched with 9 programs in 2 launches"),
        ([launch("k", 5, "y"), launch("odd", 4, "y")], "k and odd are launched with 9 programs in 2 launches"),
        ([launch("k", 1, "y")] * 9, "k is launched with 9 programs in 9 launches"),
        ([launch("statistics", 8, "scratch"), launch("k", 8, "y")], None),
        ([launch("statistics", 5, "scratch"), launch("statistics", 4, "scratch"), launch("k", 8, "y")], "statistics"),
        ([launch("k", 5), launch("k", 4)], "k is launched with 9 programs in 2 launches"),  # a GPU tells no more
        ([launch("k", 8, "y"), launch("nothing", 1)], None),
    ],
)
def test_programs_of_launches_that_write_one_tensor_are_added_up(
    launches: list[LaunchSummary], words: str | None
) -> None:
    messages = programs(AT_MOST, *launches)
    assert len(messages) == (words is not None)
    assert all(message.startswith(words or "") for message in messages)


def test_so_are_those_that_are_too_few() -> None:
    assert programs(AT_LEAST, launch("k", 5, "y"), launch("k", 4, "y")) == []
    (message,) = programs(AT_LEAST, launch("k", 5, "y"), launch("k", 2, "y"))
    assert message == "k is launched with 7 programs in 2 launches; at least 8 are asked for."


def scratch(*sizes: int, stored: int = 0, atomic: int = 0, reserved: int = 4) -> CaseEvidence:
    """Return evidence of scratch tensors of float32, of so many elements, and what kernels write to all of them."""
    row = Traffic("s_ptr", 0, stored, 0, 0, atomic_bytes=atomic, tensor="scratch")
    lines = [LineTraffic("p.py", 9, "s_ptr", 0, 8, tensor="scratch")]
    lines += [LineTraffic("p.py", 12, "s_ptr", 0, stored - 8, atomic, tensor="scratch")]
    told = {"traffic": [row], "lines": lines, "launches": [launch("k", 1, "scratch")]}
    return CaseEvidence(scratch=list(sizes), scratch_bytes=reserved * sum(sizes), **told)  # type: ignore[arg-type]


def test_scratch_tensors_are_added_up() -> None:
    assert found(Limits(scratch=Bound(8)), scratch(4, 4)) == []
    (finding,) = found(Limits(scratch=Bound(7)), scratch(4, 4))
    assert (
        finding.message
        == "The host function allocates 8 elements of scratch memory in all; at most 7 are allowed here."
    )
    (finding,) = found(Limits(scratch_bytes=Bound(60)), scratch(4, 4, reserved=8))
    assert (
        finding.message == "The host function allocates 64 bytes of scratch memory in all; at most 60 are allowed here."
    )


@pytest.mark.parametrize(("stored", "atomic", "ok"), [(100, 0, True), (60, 40, True), (101, 0, False), (61, 40, False)])
def test_what_is_written_to_scratch_memory_is_added_up(stored: int, atomic: int, ok: bool) -> None:
    findings = found(Limits(scratch_bytes=Bound(100)), scratch(4, stored=stored, atomic=atomic))
    if ok:
        assert findings == []
        return
    (finding,) = findings
    assert (finding.code, finding.line) == ("scratch-too-large", 12)
    assert finding.message == "Kernels write 101 bytes to scratch memory in all; at most 100 are allowed here."
