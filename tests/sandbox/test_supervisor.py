"""Nothing that a process has started outlives it, whoever ends it and whatever its children make of themselves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.child import PACKAGES
from tests.sandbox.needs import needs_linux, needs_root

pytestmark = needs_linux
SUPERVISED = "import os\nfrom tritonpuzzles.sandbox import supervise\nheld = supervise()\n"
BY_PARENTAGE = """
from tritonpuzzles.sandbox import supervisor
def refuse():
    raise OSError(1, "Operation not permitted")
supervisor.enter_namespace = refuse
"""
DAEMONS = """
import sys, time
says, said = os.pipe()
os.set_inheritable(said, True)
code = f"import os, time; os.write({{said}}, b'x'); time.sleep(600)"
for _ in range(23):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, ["python", "-c", code, {name!r}], {{}})
        os._exit(0)
for _ in range(23):
    os.read(says, 1)
print('they run', flush=True)
"""
FOREVER = "import time; print(1, flush=True); time.sleep(600)"
NAMES = {"a PID namespace": "", "parentage": BY_PARENTAGE}


@pytest.fixture
def name() -> Iterator[str]:
    """Return a name for processes that is nobody else's; those that bear it are ended afterwards."""
    chosen = f"daemon-{uuid.uuid4().hex}"
    yield chosen
    for pid in named(chosen):
        os.kill(pid, signal.SIGKILL)


def named(name: str) -> list[int]:
    """Return the processes with a name among their arguments, zombies aside; this one's own children count."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if name.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def start(code: str, *before: str, executable: str = sys.executable) -> subprocess.Popen[str]:
    environment = {"PYTHONPATH": str(PACKAGES), "PATH": os.environ["PATH"]}
    command = [*before, executable, "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    printed, _ = process.communicate(timeout=60)
    return process.returncode, printed.strip()


@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize(
    ("deed", "returncode"),
    [
        ("os._exit(0)", 0),
        ("os._exit(7)", 7),
        ("raise SystemExit(3)", 3),
        ("os.abort()", -6),
        ("os.kill(os.getpid(), 9)", -9),
        ("os.kill(os.getpid(), 40)", -40),
        ("import ctypes; ctypes.string_at(0)", -11),
    ],
)
def test_it_ends_as_its_process_did(way: str, deed: str, returncode: int) -> None:
    assert ended(start(NAMES[way] + SUPERVISED + "print('begun', flush=True)\n" + deed)) == (returncode, "begun")


@pytest.mark.slow
@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize("deed", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_daemons_end_with_it(way: str, deed: str, name: str) -> None:
    """23 of them, in sessions of their own, without their environment, their parents gone."""
    code = DAEMONS.format(name=name)
    returncode, printed = ended(start(NAMES[way] + SUPERVISED + code + deed))
    assert (returncode in (0, -9), printed) == (True, "they run")
    assert named(name) == []  # when the supervisor has ended they have; there is nothing to wait for


@pytest.mark.parametrize("way", NAMES)
def test_daemons_end_when_the_judge_asks(way: str, name: str) -> None:
    deaf = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
    code = deaf + DAEMONS.format(name=name) + "time.sleep(600)\n"
    process = start(NAMES[way] + SUPERVISED + code)
    assert process.stdout is not None
    assert process.stdout.readline() == "they run\n"
    assert len(named(name)) == 23
    process.terminate()
    assert ended(process)[0] == 128 + signal.SIGTERM
    assert named(name) == []


@pytest.mark.parametrize("way", NAMES)
def test_it_ends_when_its_supervisor_is_killed(way: str, name: str) -> None:
    code = SUPERVISED + f"os.execv({sys.executable!r}, ['python', '-c', {FOREVER!r}, {name!r}])"
    process = start(NAMES[way] + code)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    process.kill()
    process.communicate(timeout=60)  # its end of the pipe is closed: nothing that wrote to it runs
    deadline = time.monotonic() + 30
    while named(name) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert named(name) == []


def test_the_pipe_ends_with_the_process() -> None:
    """The supervisor keeps no end of a pipe open: the judge sees at once that a worker has closed its own."""
    process = start(SUPERVISED + "import time\nos.closerange(0, 64)\ntime.sleep(600)")
    assert process.stdout is not None
    assert process.stdout.read() == ""
    assert process.poll() is None
    process.terminate()
    process.wait(60)


def test_others_are_out_of_sight_in_a_namespace() -> None:
    code = "if 'a PID namespace' in held.holds: print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))\n"
    told = ended(start(SUPERVISED + code + "else: print('no namespace')"))[1]
    if told == "no namespace":
        pytest.skip("this system allows no PID namespace")
    assert told == "[1, 2]"


@needs_root
@pytest.mark.skipif(shutil.which("setpriv") is None or not Path("/usr/bin/python3").exists(), reason="needs setpriv")
def test_an_ordinary_user_is_held_as_well() -> None:
    """With the system's interpreter, for this one may lie where no other user can read it."""
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    code = SUPERVISED + "from tritonpuzzles.sandbox import confine\nprint(os.getuid(), held + confine([]))"
    returncode, told = ended(start(code, *user, executable="/usr/bin/python3"))
    assert returncode == 0
    assert told.startswith("65534 A submission is held by ")
