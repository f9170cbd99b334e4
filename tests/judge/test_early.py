"""Cases are judged while later ones run, with the same outcome as afterwards."""

from __future__ import annotations

import threading

import pytest

from tests.conftest import Check
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict import decide, one_case
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Verdict


def test_each_case_is_judged_once_and_not_by_the_main_thread(
    check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []

    def watched(trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        seen.append((drawn.name, threading.current_thread() is threading.main_thread()))
        return decide.judge_case(trial, drawn, evidence)

    monkeypatch.setattr(one_case, "judge_case", watched)
    result = check_source(square_source)
    assert result.verdict is Verdict.PASS
    assert seen == [(case.name, False) for case in result.cases]
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]


def test_a_fault_of_the_judge_is_no_fault_of_the_file(
    check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
        raise KeyError("a mistake of ours")

    monkeypatch.setattr(one_case, "judge_case", broken)
    result = check_source(square_source)
    assert result.verdict is Verdict.INFRA_ERROR
    assert [finding.code for finding in result.findings] == ["grader-fault"]
