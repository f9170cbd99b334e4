"""A worker that ends before it was asked to: by itself, by a signal, or because memory ran out."""

from __future__ import annotations

import errno
import itertools

import pytest

from tests.conftest import Check
from tritonpuzzles.judge.workers import process
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.frames import OF_MACHINE, Frame

HOG = """
import resource

KEPT = []


def hog():
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), used + (64 << 20)))
    while True:
        KEPT.append(bytearray(1 << 20))


"""


def only(check_source: Check, source: str) -> Finding:
    findings = check_source(source).findings
    assert len({(finding.code, finding.message) for finding in findings}) == 1, findings
    return findings[0]


@pytest.mark.parametrize(("ran_out", "code"), [(True, "out-of-memory"), (False, "crash")])
def test_a_kill_is_told_of_memory_where_the_system_counts_one(
    ran_out: bool, code: str, check_source: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = itertools.count() if ran_out else itertools.repeat(0)
    monkeypatch.setattr(process, "ended_for_memory", lambda: next(counted))
    found = only(check_source, "import os\n\nos.kill(os.getpid(), 9)\n")
    assert found.code == code
    assert ("Memory ran out while p01_square.py was imported" in found.message) == ran_out


def test_memory_that_runs_out_inside_the_recorder_itself_is_told(check_source: Check) -> None:
    found = only(check_source, f"import os\n\nos._exit({errno.ENOMEM})\n")
    assert found.message == "Memory ran out while p01_square.py was imported; no result came back."


def test_an_import_that_takes_all_memory(check_source: Check) -> None:
    found = only(check_source, f"{HOG}hog()\n")
    assert (found.code, found.line) == ("out-of-memory", 11)


def test_a_call_that_takes_all_memory(check_source: Check) -> None:
    result = check_source(f"{HOG}def square(x):\n    hog()\n")
    assert ("out-of-memory", 11) in {(finding.code, finding.line) for finding in result.findings}
    assert not any(finding.code in ("tampering", "exit") for finding in result.findings)


@pytest.mark.parametrize(("terms", "code"), [(400, "unsupported-operation"), (20_000, "syntax-error")])
def test_an_expression_that_is_too_deep_is_told_at_its_line(
    terms: int, code: str, check_source: Check, square_source: str
) -> None:
    deep = f"    more = {' + '.join(['x'] * terms)}\n"
    at = square_source.index("    tl.store(")
    found = only(check_source, square_source[:at] + deep + square_source[at:])
    assert (found.code, found.line) == (code, square_source[:at].count("\n") + 1)


@pytest.mark.parametrize(
    ("returncode", "code", "words"),
    [
        (OF_MACHINE, "grader-fault", "this says nothing about the file"),
        (1, "exit", "The process that runs and compiles its kernels ended with exit code 1 during the compile"),
    ],
)
def test_the_end_of_an_engine_is_not_told_as_the_files(
    returncode: int, code: str, words: str, check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    received = process.Worker.receive

    def receive(worker: process.Worker, seconds: float) -> Frame:
        frame = received(worker, seconds)
        if frame.kind == "compiling":
            raise process.WorkerEndedError(returncode)
        return frame

    monkeypatch.setattr(process.Worker, "receive", receive)
    found = only(check_source, square_source)
    assert (found.code, words in found.message, found.next_step == "Return a tensor; never exit.") == (
        code,
        True,
        False,
    )
