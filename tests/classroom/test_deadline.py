"""What counts is what a file computes: not the wait for a core, but a sleep; not the compiler, but each loop."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.workers.following import MOST_CLOCK, SECONDS, Deadline, Following
from tritonpuzzles.judge.workers.process import Worker, WorkerTimeoutError


class Computes:
    """A worker that has so much of a processor, in seconds a second."""

    def __init__(self, share: float) -> None:
        self.share, self.computed = share, 0.0


def seconds_of(share: float, deadline: float = 20.0, apart: float = 0.0) -> float:
    """Return after how many seconds of the clock a file that never ends is ended."""
    worker = Computes(share)
    worker.computed = apart
    shared, clock = Deadline(deadline), 0.0
    shared.wait_for(cast(Worker, worker))
    shared.set_apart(apart)
    while True:
        left = shared.left
        worker.computed += share * left
        clock += left
        shared.waited(left)
        if not shared.has_more():
            return clock


def test_a_loop_with_a_core_to_itself_has_its_seconds() -> None:
    assert seconds_of(1.0) == pytest.approx(20.0)


def test_a_loop_that_shares_a_core_has_as_many_of_its_own() -> None:
    assert seconds_of(0.5) == pytest.approx(40.0, abs=0.1)


def test_nobody_is_waited_for_longer_than_three_times() -> None:
    assert seconds_of(0.2) == pytest.approx(MOST_CLOCK * 20.0)


def test_a_file_that_sleeps_has_its_seconds_by_the_clock() -> None:
    assert seconds_of(0.0) == seconds_of(0.05) == pytest.approx(20.0)


def test_several_processes_are_no_way_to_more() -> None:
    assert seconds_of(4.0) == pytest.approx(20.0)


def test_what_the_compiler_took_is_not_the_files() -> None:
    assert seconds_of(0.5, apart=100.0) == pytest.approx(40.0, abs=0.1)


@pytest.mark.parametrize(("share", "seconds"), [(1.0, 60.0), (0.5, 120.0), (0.2, 180.0), (0.0, 60.0)])
def test_without_a_deadline_each_case_has_cpu_seconds(share: float, seconds: float, monkeypatch: Any) -> None:
    """A case must not fail because others use the machine."""
    clock, ended = [100.0], []

    def receive(most: float) -> None:
        clock[0] += most
        worker.computed += share * most
        raise WorkerTimeoutError

    worker: Any = SimpleNamespace(computed=7.0, receive=receive, kill=lambda: ended.append(clock[0]), output="")
    said: Any = SimpleNamespace(cases=[], timed_out=lambda time, stage, case: time)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    evidence = Evidence()
    Following(cast(Any, None), said, None, print, lambda: False).follow(worker, evidence, stage="run")
    assert cast(Any, evidence.failure) == f"{SECONDS['run']:g} s"
    assert ended == [pytest.approx(100.0 + seconds, abs=0.2)]
