"""Where stubs and solutions come from: wheel, clone, editable install, a curriculum that is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front.conftest import CURRICULUM, GRADER, environment

STEM = "p02_row_sum"  # a name that no real curriculum has: one may be installed here


def program(cwd: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    env = environment(PYTHONPATH=path)
    del env["TRITONPUZZLES_PACK"]
    command = [sys.executable, "-P", "-m", "tritonpuzzles", *arguments] if sys.version_info >= (3, 11) else []
    command = command or [sys.executable, "-m", "tritonpuzzles", *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)


def package(root: Path) -> None:
    """Put a copy of the package, with the small curriculum in it, under a folder."""
    shutil.copytree(GRADER / "tritonpuzzles", root / "tritonpuzzles", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("records", "hints"):
        shutil.rmtree(root / "tritonpuzzles/curriculum" / name, ignore_errors=True)
        shutil.copytree(CURRICULUM / name, root / "tritonpuzzles/curriculum" / name)
    shutil.copy(CURRICULUM / "curriculum.toml", root / "tritonpuzzles/curriculum")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone: the package under grader/, puzzles/ and solutions/ beside it."""
    package(tmp_path / "clone/grader")
    for name in ("puzzles", "solutions"):
        shutil.copytree(CURRICULUM / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


def test_a_wheel_brings_its_own(tmp_path: Path) -> None:
    package(tmp_path / "site")
    for name in ("puzzles", "solutions"):
        shutil.copytree(CURRICULUM / name, tmp_path / "site/tritonpuzzles/_workspace" / name)
    path = str(tmp_path / "site")
    assert program(tmp_path, "init", "w", path=path).returncode == 0
    assert "return x" in program(tmp_path, "solution", "2", "--force", path=path).stdout
    mine = tmp_path / "w/puzzles" / f"{STEM}.py"
    mine.write_text("mine")
    assert program(tmp_path / "w", "reset", "2", path=path).returncode == 0
    assert "TODO" in mine.read_text()


def test_a_newer_wheel_updates_a_workspace(tmp_path: Path) -> None:
    package(tmp_path / "site")
    shipped = tmp_path / "site/tritonpuzzles/_workspace"
    for name in ("puzzles", "solutions"):
        shutil.copytree(CURRICULUM / name, shipped / name)
    path = str(tmp_path / "site")
    program(tmp_path, "init", "w", path=path)
    stub = shipped / "puzzles" / f"{STEM}.py"
    stub.write_text(f"{stub.read_text()}# newer\n")
    done = program(tmp_path / "w", "init", "--update", path=path)
    assert done.stdout == f"  newer puzzles/{STEM}.py\nNext: tritonpuzzles list\n"
    assert (tmp_path / "w/puzzles" / stub.name).read_bytes() == stub.read_bytes()


def test_a_clone_is_updated_by_git(clone: Path) -> None:
    path = str(clone / "grader")
    done = program(clone, "init", "--update", path=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Next: git pull" in done.stderr
    assert program(clone, "init", ".", path=path).returncode == 0
    assert (clone / ".vscode/tasks.json").exists()


def test_a_clone_keeps_its_stubs_from_the_first_command_on(clone: Path) -> None:
    path = str(clone / "grader")
    assert program(clone, "hint", "2", path=path).returncode == 0
    mine = clone / "puzzles" / f"{STEM}.py"
    stub = mine.read_bytes()
    mine.write_text("mine")
    program(clone, "hint", "2", path=path)
    assert program(clone, "reset", "2", path=path).returncode == 0
    assert mine.read_bytes() == stub
    mine.write_text("mine")
    program(clone.parent, "init", "w", path=path)
    assert (clone.parent / "w/puzzles" / mine.name).read_bytes() == stub


def test_a_clone_takes_its_stubs_from_the_install(clone: Path) -> None:
    """As `pip install -e .` does: the package from grader/, a copy of puzzles/ in site-packages."""
    site = clone.parent / "site"
    installed = site / "tritonpuzzles/_workspace/puzzles"
    shutil.copytree(CURRICULUM / "puzzles", installed)
    path = f"{clone / 'grader'}:{site}"
    mine = clone / "puzzles" / f"{STEM}.py"
    stub = mine.read_bytes()
    mine.write_text("edited before the first command")
    assert program(clone, "reset", "2", path=path).returncode == 0
    assert mine.read_bytes() == stub
    mine.write_text("edited, then installed again")
    shutil.copy(mine, installed)
    assert program(clone, "reset", "2", path=path).returncode == 0
    assert mine.read_bytes() == stub


def test_an_installation_without_solutions_says_so(tmp_path: Path) -> None:
    package(tmp_path / "site")
    done = program(tmp_path, "solution", "2", "--force", path=str(tmp_path / "site"))
    assert done.returncode == 3
    assert "no solution of puzzle 2" in done.stderr
