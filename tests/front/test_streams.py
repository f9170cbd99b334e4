"""Standard streams that are closed, or read by a runner of GitHub's; a current folder with modules of the learner's."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.front.conftest import environment
from tritonpuzzles.front.console import Plain, bare
from tritonpuzzles.sandbox.interpreter import python_code, python_environment

TRITONPUZZLES = shlex.join(["env", "-u", "TRITONPUZZLES_PACK", sys.executable, "-m", "tritonpuzzles"])
pieces = st.lists(st.text(alphabet=st.sampled_from(":#[ab \t\n\r\x0b\u2003"), max_size=8), max_size=8)


def shell(command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], cwd=cwd, env=environment(**env), capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "code"), [("list", 0), ("check 99", 2), ("check 0 --solution --device cpu", 0)])
def test_a_closed_stream_changes_no_exit_code(words: str, code: int, closed: str, tmp_path: Path) -> None:
    done = shell(f"{TRITONPUZZLES} {words} {closed}", tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if closed == "<&-" and code == 0:
        assert done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("words", ["list", "doctor"])
def test_a_module_in_the_folder_is_nobodys(words: str, tmp_path: Path) -> None:
    for name in ("json", "torch", "rich", "sandbox", "runpy"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\nraise SystemExit(9)\n")
    program = Path(sys.executable).with_name("tritonpuzzles")
    done = shell(f"env -u TRITONPUZZLES_PACK {program} {words}", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "imported").exists()


def test_no_process_of_ours_looks_for_modules_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(tmp_path), "/somewhere"]))
    assert python_environment()["PYTHONPATH"].split(os.pathsep)[1:] == ["/somewhere"]
    found = subprocess.run(
        python_code("import json; print(json.__file__)"), env=python_environment(), capture_output=True
    )
    assert found.stdout.strip()
    assert str(tmp_path).encode() not in found.stdout


SPINNING = """
import time
from tritonpuzzles.front import console
with console.status_line() as say:
    say("looking")
    time.sleep(0.3)
    console.warn("not saved")
    with console.no_status():
        print("a line", flush=True)
"""


def on_a_terminal(code: str, columns: int = 80) -> bytes:
    """Return what a program writes to a terminal, byte by byte."""
    master, terminal = pty.openpty()
    settings = environment(TERM="xterm-256color", COLUMNS=str(columns))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=terminal, stderr=terminal, env=settings)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(master, 4096):
            shown += piece
    os.close(master)
    process.wait()
    return shown


def test_a_spinner_is_erased_before_a_line_is_printed() -> None:
    shown = on_a_terminal(SPINNING)
    assert b"looking" in shown
    for line in (b"\x1b[33mwarning: ", b"a line"):
        assert shown.partition(line)[0].endswith(b"\r\x1b[1A\x1b[2K"), shown


@pytest.mark.parametrize(
    "code", ["from tritonpuzzles.front.cli import main; main(['show', '99'])", "console.warn('no word is cut ' * 9)"]
)
def test_a_terminal_breaks_no_word_of_an_error(code: str) -> None:
    shown = on_a_terminal(f"from tritonpuzzles.front import console\n{code}", 40).decode()
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 40


@example(["#", "#", "["])
@given(pieces)
def test_no_line_commands_a_runner_however_it_is_written(texts: list[str]) -> None:
    inner = io.StringIO()
    stream = Plain(inner)
    for text in texts:
        assert stream.write(text) == len(text)
    lines = re.split(r"[\n\r]", inner.getvalue())
    assert not [line for line in lines if line.lstrip().startswith(("::", "##["))]
    assert inner.getvalue().replace("\\", "") == "".join(texts)
    assert bare(stream) is inner  # type: ignore[arg-type, comparison-overlap]
