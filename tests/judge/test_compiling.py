"""An engine that does not come back from the compiler: named for what it was at, and never a pass."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
import triton

from tests.conftest import Check
from tritonpuzzles.judge.options import CACHE
from tritonpuzzles.judge.workers import endings
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError, WorkerTimeoutError
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.cover import account_of
from tritonpuzzles.wire.frames import Frame

LAUNCH = "square_kernel (BLOCK_SIZE=256, 1 warp)"


@pytest.fixture
def check_ending(check_source: Check, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Return a function that checks source text with an engine whose compile stage ends with an exception."""

    def run(source: str, end: Exception) -> PuzzleResult:
        waiting: list[Any] = []
        receive, command = Worker.receive, Worker.command

        def commanded(worker: Worker, kind: str, *args: Any, **fields: Any) -> None:
            if kind == "compile":
                waiting.extend([Frame({"kind": "compiling", "launch": LAUNCH, "file": "", "line": 12}), end])
            else:
                command(worker, kind, *args, **fields)

        def received(worker: Worker, seconds: float) -> Frame:
            if not waiting:
                return receive(worker, seconds)
            frame = waiting.pop(0)
            if isinstance(frame, Exception):
                raise frame
            return frame

        monkeypatch.setattr(Worker, "command", commanded)
        monkeypatch.setattr(Worker, "receive", received)
        return check_source(source)

    return run


def test_what_a_pass_of_the_compiler_without_end_has_not_compiled_is_no_pass(
    check_ending: Check, square_source: str
) -> None:
    result = check_ending(square_source, WorkerTimeoutError())
    (found,) = result.findings
    assert (result.verdict, found.code, result.compile) == (Verdict.ERROR, "not-compiled", ())
    assert found.message == (
        f"{LAUNCH} was not compiled for sm_80 and sm_90, nor what comes after it: the {endings.COMPILING:g} s for it "
        "are over."
    )
    assert (found.file, found.line) == (str(result.file), 12)


def test_what_else_is_wrong_comes_before_a_launch_that_was_not_compiled(
    check_ending: Check, square_source: str
) -> None:
    result = check_ending(square_source.replace("x * x", "x + x"), WorkerTimeoutError())
    assert result.verdict is Verdict.FAIL
    first, *_ = account_of(result.findings).open
    assert "not-compiled" in {found.code for found in result.findings}
    assert first.first.code != "not-compiled"


def test_each_launch_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(endings.time, "monotonic", lambda: now[0])
    stage = endings.Compiling(10.0, Path("p.py"), ("sm_80", "sm_90"))
    now[0] = 20.0
    assert stage.left == 5.0
    stage.begin("another", "p.py", 3)
    assert stage.left == 25.0
    now[0] = 36.0
    stage.begin("the last", "p.py", 9)
    assert stage.left == 9.0
    assert (stage.timed_out().file, stage.timed_out().line) == ("p.py", 9)


def test_a_crash_of_the_compiler_is_said_to_be_its_own(check_ending: Check, square_source: str) -> None:
    result = check_ending(square_source, WorkerEndedError(-signal.SIGABRT))
    (found,) = result.findings
    assert (result.verdict, found.code) == (Verdict.ERROR, "compile-error")
    assert found.message == (
        f"{LAUNCH} does not compile for sm_80 or sm_90: the compiler of Triton {triton.__version__} crashes (SIGABRT), "
        "which is a fault of the compiler's."
    )
    assert "num_stages" in str(found.next_step)


def test_an_engine_that_is_killed_is_no_crash_of_the_compiler(check_ending: Check, square_source: str) -> None:
    result = check_ending(square_source, WorkerEndedError(-signal.SIGKILL))
    assert [found.code for found in result.findings] == ["crash"]


def test_kernels_are_kept_where_the_environment_says(
    check_source: Check, square_source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a file that is checked under another name are found there again."""
    monkeypatch.setenv(CACHE, str(tmp_path / "kept"))
    found = check_source(square_source)
    assert found.verdict is Verdict.PASS
    kept = times(tmp_path / "kept")
    assert len(kept) == len(found.compile) + sum(item.assembled for item in found.compile) > 0
    assert check_source(square_source, "copy.py").compile == found.compile
    assert times(tmp_path / "kept") == kept


def times(folder: Path) -> dict[Path, int]:
    """Return when each outcome below a folder was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.json")}
