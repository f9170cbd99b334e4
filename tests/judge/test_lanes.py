"""Cases that run on several engines: each is run once, and the first engine is told of what others ran."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tritonpuzzles.judge.workers.lanes import CaseProgram, Lanes, Run


class Engine:
    """Runs one case at a time."""

    def __init__(self) -> None:
        self.busy = threading.Lock()

    def run(self, seconds: float) -> None:
        assert self.busy.acquire(blocking=False)
        time.sleep(seconds)
        self.busy.release()


def programs(count: int) -> Iterator[CaseProgram]:
    return (CaseProgram(index, b"", {}) for index in range(count))


@pytest.mark.parametrize("engines", [1, 2, 3])
@pytest.mark.parametrize("cases", [0, 1, 2, 7])
@pytest.mark.parametrize("slow", [0, 1])  # which engine's cases take longest
def test_the_first_engine_knows_of_every_case(engines: int, cases: int, slow: int) -> None:
    crew: list[Any] = [Engine() for _ in range(engines)]
    ran: dict[int, Any] = {}
    told: list[int] = []

    def note(program: CaseProgram) -> None:
        crew[0].run(0)
        told.append(program.index)

    def begin(lanes: Lanes, program: CaseProgram) -> None:
        def run(engine: Any) -> None:
            engine.run(0.01 if crew.index(engine) == slow else 0.001)
            ran[program.index] = engine

        lanes.begin(program, run)

    for _ in range(20):
        ran.clear()
        told.clear()
        with Lanes(crew, note) as lanes:
            for program in programs(cases):
                begin(lanes, program)
            lanes.finish()
        assert sorted(ran) == list(range(cases))
        assert sorted(told) == [index for index, engine in sorted(ran.items()) if engine is not crew[0]]


def test_a_case_that_begins_late_finds_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Lanes._run

    def late(lanes: Lanes, program: CaseProgram, task: Run) -> None:
        time.sleep(0.05)  # the thread is there, and asks for no engine yet
        run(lanes, program, task)

    monkeypatch.setattr(Lanes, "_run", late)
    ran: list[int] = []
    with Lanes([Engine(), Engine()], lambda program: None) as lanes:  # type: ignore[list-item]
        lanes.begin(CaseProgram(0, b"", {}), lambda engine: ran.append(0))
        time.sleep(0.2)  # the first engine is the last in the queue then
        lanes.begin(CaseProgram(1, b"", {}), lambda engine: ran.append(1))
        lanes.finish()
    assert ran == [0, 1]


def test_what_running_a_case_raises_is_raised() -> None:
    def fails(engine: Any) -> None:
        raise ValueError("no case")

    def run() -> None:
        with Lanes([Engine(), Engine()], lambda program: None) as lanes:  # type: ignore[list-item]
            lanes.begin(CaseProgram(0, b"", {}), fails)
            lanes.finish()

    with pytest.raises(ValueError, match="no case"):
        run()
