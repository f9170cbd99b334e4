"""`watch --editor`, as a task of VS Code runs it: lines for a problem matcher, no screen, no keys."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import pytest

from tests.front.conftest import environment
from tests.front.watch.conftest import ENDLESS, RIGHT, WRONG, progress, save
from tests.front.watch.terminal import parent_of, pids, words_of
from tritonpuzzles.front.report.problems import BEGINS, ENDS, PROBLEM

pytestmark = pytest.mark.slow

SECONDS = 120.0
Problem = tuple[str, str, str]  # file, severity, code


class Task:
    """The program with pipes in place of a terminal, for the length of a `with` block."""

    def __init__(self, course: Path, *words: str) -> None:
        settings = environment()
        del settings["TRITONPUZZLES_PACK"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tritonpuzzles", "watch", "--editor", "--device", "cpu", *words],
            cwd=course,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # A suite that a shell has started in the background ignores interrupts, and so would the program.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._rest = b""

    def __enter__(self) -> Task:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def lines(self) -> Iterator[str]:
        """Yield lines as they come."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + SECONDS
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if newline:
                self._rest = rest
                yield line.decode()
                continue
            assert select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            assert data, f"it ended with {self._process.wait()}"
            self._rest += data

    def wait_for(self, start: str) -> list[str]:
        """Return the lines until one begins so."""
        found = []
        for line in self.lines():
            found.append(line)
            if line.startswith(start):
                break
        return found

    def check(self, puzzle: str) -> list[Problem]:
        """Wait for a check of a puzzle from its beginning to its end; return the problems that an editor shows then."""
        assert self.wait_for(BEGINS)[-1] == f"{BEGINS} {puzzle}"
        told = self.wait_for(ENDS)
        assert told[-1].startswith(f"{ENDS}: {puzzle} ")
        found = (re.fullmatch(PROBLEM, line) for line in told)
        return [(match[1], match[4], match[6]) for match in found if match]

    def end(self, number: int) -> int:
        """Send a signal, and return the exit code."""
        self._process.send_signal(number)
        return self._process.wait(SECONDS)

    @property
    def servers(self) -> list[int]:
        """Processes that it started, and theirs."""
        return [pid for pid in pids() if "judgeserver" in words_of(pid) and _above(pid, self._process.pid)]


def _above(pid: int, ancestor: int) -> bool:
    while pid > 1:
        pid = parent_of(pid)
        if pid == ancestor:
            return True
    return False


FIRST, SECOND = "puzzles/p01_square.py", "puzzles/p02_second.py"


def test_each_file_that_is_saved_is_checked_and_what_is_known_stays(course: Path) -> None:
    """Also where two are saved at once, one after the other; a newer save ends a check."""
    with Task(course) as task:
        assert task.check("p01 square") == [(FIRST, "error", "nothing-written")]
        save(course / FIRST, WRONG)
        (wrong,) = task.check("p01 square")
        assert wrong[:2] == (FIRST, "error")
        save(course / SECOND, WRONG)
        assert [file for file, _, _ in task.check("p02 second")] == [FIRST, SECOND]
        save(course / FIRST, RIGHT)
        assert [file for file, _, _ in task.check("p01 square")] == [SECOND]
        assert (progress(course)["square"]["verdict"], progress(course)["second"]["verdict"]) == ("pass", "fail")
        save(course / FIRST, ENDLESS)
        task.wait_for(f"{BEGINS} p01 square")
        save(course / SECOND, RIGHT)
        time.sleep(1)  # it waits for the first
        save(course / FIRST, RIGHT)
        assert task.wait_for(ENDS)[-1] == f"{ENDS}: nothing"
        assert [file for file, _, _ in task.check("p01 square")] == [SECOND]
        assert task.check("p02 second") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_watches_one_file_alone_and_ends_with_its_editor(number: int, course: Path) -> None:
    with Task(course, "2") as task:
        task.check("p02 second")
        save(course / FIRST, RIGHT)
        save(course / SECOND, ENDLESS)
        assert task.wait_for(BEGINS)[-1] == f"{BEGINS} p02 second"
        servers = task.servers
        assert servers
        assert task.end(number) == 130
    deadline = time.monotonic() + 30
    while any("judgeserver" in words_of(pid) for pid in servers):
        assert time.monotonic() < deadline
        time.sleep(0.05)
