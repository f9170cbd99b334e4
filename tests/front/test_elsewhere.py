"""A Mac, and Windows: no Triton, no torch, no Linux. What needs none of them works; what grades says where it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.front.conftest import HERE, ROOT, environment

pytestmark = pytest.mark.slow

SYSTEMS = pytest.mark.parametrize("system", ["darwin", "win32"])


def program(system: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "other_system.py"), system, *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, encoding="utf-8")


@SYSTEMS
def test_what_needs_no_kernel_works(system: str, tmp_path: Path) -> None:
    said = {
        ("init",): "3 puzzles put into puzzles.",
        ("list",): "Vector add",
        ("show", "1"): "Words: tritonpuzzles words",
        ("hint", "1"): "Hint 1 of 3",
        ("words", "mask"): "mask",
        ("solution", "1", "--force"): "return",
        ("reset", "1"): "is the stub again",
        ("check", "--help"): "Usage: tritonpuzzles check",
        ("--help",): "Examples:",
        (): "Vector add",
    }
    for words, expected in said.items():
        done = program(system, tmp_path, *words)
        assert (done.returncode, expected in done.stdout) == (0, True), (words, done.stdout, done.stderr)


@SYSTEMS
@pytest.mark.parametrize("words", ["check 1", "check", "watch", "trace 1", "inspect 1", "bench 1", "roofline"])
def test_what_grades_says_where_it_does(words: str, system: str, workspace: Path) -> None:
    done = program(system, workspace, *words.split())
    assert (done.returncode, done.stdout) == (3, "")
    said, step = done.stderr.splitlines()
    assert said == "tritonpuzzles: Triton runs on Linux alone: check in a container, in WSL 2 on Windows, or in Colab."
    assert step == "Next: tritonpuzzles docs elsewhere (list, show, hint, words work here)"


@SYSTEMS
def test_doctor_names_the_system_and_asks_for_nothing_more(system: str, workspace: Path) -> None:
    done = program(system, workspace, "doctor")
    assert done.returncode == 3
    assert "Triton runs on Linux alone" in done.stdout
    assert "Next: tritonpuzzles docs elsewhere" in done.stdout
    assert "pip install" not in done.stdout


def test_pip_asks_for_triton_and_torch_on_linux_alone() -> None:
    wanted = (ROOT / "pyproject.toml").read_text()
    for package in ("torch>=", "triton>="):
        line = next(line for line in wanted.splitlines() if line.strip().startswith(f'"{package}'))
        assert "; sys_platform == 'linux'\"" in line
