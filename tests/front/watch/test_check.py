"""`tritonpuzzles check` in a pseudo-terminal, its judge in a process of its own: whoever is killed, nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.front.conftest import GRADER, environment
from tests.front.watch.conftest import ENDLESS, RIGHT, STUB, save
from tests.front.watch.terminal import Program, words_of
from tritonpuzzles.wall import may_import

pytestmark = pytest.mark.slow

SEED = "1987654321"
NOBODY_LEFT = "the judge's process was ended by SIGKILL"
Kill = Callable[[Program], None]


def checking(course: Path, **env: str) -> Program:
    return Program(("check", "1", "--device", "cpu", "--seed", SEED), course, **env)


def wait_for_all(program: Program) -> dict[str, list[int]]:
    """Return the processes of a check once a worker imports the file."""
    program.wait_for(": import")
    deadline = time.monotonic() + 60
    while not all((found := program.family())[who] for who in ("judge", "server", "workers")):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


@pytest.fixture
def endless(first: Path) -> None:
    save(first, ENDLESS)


@pytest.mark.parametrize(("number", "key"), [(signal.SIGINT, "\x03"), (signal.SIGTERM, ""), (signal.SIGHUP, "")])
@pytest.mark.usefixtures("endless")
def test_an_interrupt_ends_the_judge_with_its_workers_and_their_folders(
    number: signal.Signals, key: str, course: Path, tmp_path: Path
) -> None:
    folders = tmp_path / "folders"
    folders.mkdir()
    with checking(course, TMPDIR=str(folders)) as program:
        wait_for_all(program)
        assert list(folders.iterdir())
        program.press(key) if key else os.kill(program.pid, number)
        assert "interrupted" in program.wait_for("<ended")
        assert program.ended_with() == 130
    assert not list(folders.iterdir())


@pytest.mark.parametrize(
    ("killed", "code", "said"),
    [
        ("judge", 3, NOBODY_LEFT),
        ("server", 1, "error  p01 square"),
        ("workers", 1, "error  p01 square"),
        ("server judge", 3, NOBODY_LEFT),
        ("judge server", 3, NOBODY_LEFT),
        ("workers server judge", 3, NOBODY_LEFT),
    ],
)
@pytest.mark.usefixtures("endless")
def test_a_process_that_is_killed(killed: str, code: int, said: str, course: Path) -> None:
    with checking(course) as program:
        found = wait_for_all(program)
        for pid in [pid for who in killed.split() for pid in found[who]]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                assert " " in killed  # it went with the one before
        shown = program.wait_for(said, "<ended")
        assert "Traceback" not in shown
        assert program.ended_with() == code


@pytest.mark.parametrize("before", ["", "judge", "server", "workers"])
@pytest.mark.usefixtures("endless")
def test_it_is_killed_itself(before: str, course: Path) -> None:
    with checking(course) as program:
        found = wait_for_all(program)
        for pid in [*found.get(before, []), program.pid]:
            os.kill(pid, signal.SIGKILL)
        assert program.ended() == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_is_ended_while_the_judge_still_starts(number: signal.Signals, course: Path) -> None:
    with checking(course) as program:
        while not program.family()["judge"]:
            time.sleep(0.01)
        os.kill(program.pid, number)
        assert program.ended() in (130, -number)


def test_another_judge_takes_the_place_of_one_that_is_killed_while_it_starts(course: Path) -> None:
    with checking(course) as program:
        while not (judges := program.family()["judge"]):
            time.sleep(0.01)
        os.kill(judges[0], signal.SIGKILL)
        program.wait_for("unsolved  p01 square")
        assert program.ended() == 1


def test_the_next_check_is_right(course: Path, first: Path) -> None:
    with checking(course) as program:
        program.wait_for("unsolved  p01 square")
        assert program.ended() == 1
    assert first.read_text() == STUB
    save(first, RIGHT)
    with checking(course) as program:
        program.wait_for("pass  p01 square")
        assert program.ended() == 0


@pytest.mark.usefixtures("endless")
def test_what_workers_come_from_holds_nothing_of_the_command_line_nor_its_terminal(course: Path) -> None:
    with checking(course) as program:
        found = wait_for_all(program)
        assert SEED in words_of(program.pid)
        for pid in (*found["judge"], *found["server"], *found["workers"]):
            assert SEED not in words_of(pid)
            assert SEED not in readable(lambda: Path(f"/proc/{pid}/environ").read_text())  # noqa: B023
        (server,) = found["server"]
        assert str(os.readlink(f"/proc/{program.shell}/fd/0")).startswith("/dev/pts/")
        assert "/dev/pts/" not in readable(lambda: " ".join(links(server)))


def links(pid: int) -> list[str]:
    return [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]


def readable(read: Callable[[], str]) -> str:
    """Return what a function reads of a process: nothing where that is closed to all but root."""
    try:
        return read()
    except PermissionError:
        return ""


TOLD = """
    import sys
    names = [name for name in sys.modules if name.startswith("tritonpuzzles")]
    print(" ".join([*names, *sys.argv, *sys.orig_argv]))
    return y
"""
AT_EXIT = """
import atexit, os, sys
atexit.register(lambda: open(os.environ["SEEN"], "a").write(f"{sys.orig_argv[1:]} {'torch' in sys.modules}\\n"))
"""


def test_the_command_line_imports_no_torch_and_the_workers_nothing_behind_the_wall(
    course: Path, first: Path, tmp_path: Path
) -> None:
    """All that the fork server has imported, its workers have too."""
    save(first, RIGHT.replace("256)\n    return y\n", "256)" + TOLD))
    (tmp_path / "sitecustomize.py").write_text(AT_EXIT)
    settings = environment(PYTHONPATH=f"{tmp_path}:{GRADER}", SEEN=str(tmp_path / "seen"))
    del settings["TRITONPUZZLES_PACK"]
    words = [sys.executable, "-m", "tritonpuzzles", "check", "1", "--device", "cpu", "--seed", SEED, "--json"]
    done = subprocess.run(words, cwd=course, env=settings, capture_output=True, text=True, timeout=300)
    (result,) = json.loads(done.stdout)["results"]
    assert (result["verdict"], done.stderr) == ("pass", "")
    told = set(result["output"].split())
    modules = {word for word in told if word.startswith("tritonpuzzles.")}
    assert "tritonpuzzles.recorder.session" in modules
    assert {name for name in modules if not may_import(name)} == {"tritonpuzzles.judgeserver"}  # its command line
    assert SEED not in told
    assert (tmp_path / "seen").read_text() == f"{words[1:]} False\n"


@pytest.mark.parametrize("command", ["trace", "inspect"])
def test_no_other_command_imports_torch_either(command: str, course: Path, first: Path, tmp_path: Path) -> None:
    save(first, RIGHT)
    (tmp_path / "sitecustomize.py").write_text(AT_EXIT)
    settings = environment(PYTHONPATH=f"{tmp_path}:{GRADER}", SEEN=str(tmp_path / "seen"))
    del settings["TRITONPUZZLES_PACK"]
    words = [sys.executable, "-m", "tritonpuzzles", command, "1", "--seed", SEED, "--json"]
    done = subprocess.run(words, cwd=course, env=settings, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["file"].endswith("p01_square.py")
    assert (tmp_path / "seen").read_text() == f"{words[1:]} False\n"
