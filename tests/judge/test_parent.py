"""The warm parent: whoever is killed, in whatever order, no process outlives its check, and the next check is right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import FIXTURE, Check
from tritonpuzzles.judge.workers import parent
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.results.check import Verdict

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["sleep", "{seconds}"], {{}})  # without its environment, in a session of its own
    os._exit(0)
time.sleep(0.2)
"""
JUDGE = """
import sys
from pathlib import Path
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
record, hints, file = map(Path, sys.argv[1:])
check([(load_puzzle(record, hints), file)], CheckOptions(device="cpu", timeout=60))
"""


def commands() -> Iterator[tuple[int, str]]:
    """Yield every process with its command line."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield int(entry.parent.name), entry.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue


def running(words: str) -> list[int]:
    return [pid for pid, command in commands() if words in command]


def soon(holds: object, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.05)
    return bool(holds())  # type: ignore[operator]


def test_a_daemon_ends_with_the_check_that_started_it(check_source: Check, square_source: str) -> None:
    seconds = f"4{os.getpid()}"
    result = check_source(square_source + textwrap.dedent(DAEMON.format(seconds=seconds)))
    assert result.verdict is Verdict.PASS
    assert not running(f"sleep {seconds}")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_a_judge_that_is_killed(number: signal.Signals, square_source: str, tmp_path: Path) -> None:
    seconds = f"5{os.getpid()}"
    file = tmp_path / "endless.py"
    sleep = f"import subprocess\nsubprocess.run(['sleep', '{seconds}'])\n"
    file.write_text(square_source + sleep)
    record, hints = FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md"
    judge = subprocess.Popen([sys.executable, "-c", JUDGE, str(record), str(hints), str(file)])
    assert soon(lambda: running(f"sleep {seconds}"), 60)
    started = children_of(judge.pid)
    judge.send_signal(number)
    judge.wait()
    assert soon(lambda: not running(f"sleep {seconds}"))
    assert soon(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))


def children_of(pid: int) -> list[int]:
    """Return the children and grandchildren of a process."""
    found = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*found, *(inner for child in found for inner in children_of(child))]


def test_a_parent_that_is_killed_takes_its_workers_along_and_is_replaced(
    check_source: Check, square_source: str
) -> None:
    worker = Worker("recorder", "cpu")
    assert worker.receive(60).kind == "ready"
    before = parent.warm_parent()
    started = children_of(before._process.pid)
    os.kill(before._process.pid, signal.SIGKILL)
    assert soon(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in started))  # a zombie runs nothing
    worker.close()
    assert check_source(square_source).verdict is Verdict.PASS
    assert parent.warm_parent() is not before


def test_a_worker_has_its_own_environment(
    check_source: Check, square_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAID_LATER", "blue")
    result = check_source(square_source + "import os\nprint(os.environ['SAID_LATER'], os.environ.get('HOME'))\n")
    assert result.output.split()[0] == "blue"


def test_a_parent_that_nobody_asks_for_anything_ends_while_it_still_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command line that is wrong is answered at once; what was begun for it must not go on for seconds."""
    slow = tmp_path / "torch"
    slow.mkdir()
    (slow / "__init__.py").write_text("import time\ntime.sleep(3600)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    started = parent.WarmParent.start()
    assert started.is_mine
    started._control.close()
    assert started._process.wait(60) == 0
