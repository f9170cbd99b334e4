"""Runs the program, here or in a process of its own, in a workspace of its own, with a small curriculum."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.front import fake_judge
from tests.program import run_here
from tritonpuzzles.judge.options import CACHE

HERE = Path(__file__).parent
CURRICULUM = HERE / "curriculum"
ROOT = HERE.parents[1]
GRADER = ROOT / "grader"

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(**more: str) -> dict[str, str]:
    """Return an environment without colours and terminals, with the small curriculum."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TMPDIR", CACHE) if key in os.environ}
    defaults = {"TRITONPUZZLES_PACK": str(CURRICULUM), "PYTHONPATH": f"{GRADER}:{ROOT}", "COLUMNS": "80"}
    return {**kept, **defaults, "PYTHONIOENCODING": "utf-8", **more}


def start(arguments: tuple[str, ...], cwd: Path, judge: bool = True, **env: str) -> subprocess.Popen[str]:
    """Start the program; with `judge`, one that has the fake judge."""
    program = [str(HERE / "fake_judge.py")] if judge else ["-m", "tritonpuzzles"]
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=cwd,
        env=environment(**env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the stubs of the small curriculum."""
    shutil.copytree(CURRICULUM / "puzzles", tmp_path / "work" / "puzzles")
    return tmp_path / "work"


@pytest.fixture
def run(workspace: Path) -> Run:
    """Return a function that runs the command line in this process."""

    def program(
        *arguments: str, cwd: Path = workspace, judge: bool = True, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return run_here(arguments, cwd, environment(**env), fake_judge.module() if judge else None)

    return program


@pytest.fixture
def run_process(workspace: Path) -> Run:
    """Return a function that runs the program to its end: for what is about processes, streams or signals."""

    def program(
        *arguments: str, cwd: Path = workspace, judge: bool = True, **env: str
    ) -> subprocess.CompletedProcess[str]:
        process = start(arguments, cwd, judge, **env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return program


@pytest.fixture
def puzzle(workspace: Path) -> Path:
    """The file of puzzle 1 in the workspace."""
    return workspace / "puzzles" / "p01_softmax.py"
