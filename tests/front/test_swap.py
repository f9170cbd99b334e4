"""Swap and reset: whatever the order of calls and edits, nothing a learner wrote is lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front.conftest import CURRICULUM, Run
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.history import reset, swap

STEM = "p01_softmax"
PUZZLE = load_puzzle(CURRICULUM / f"records/{STEM}.toml", CURRICULUM / f"hints/{STEM}.md")
SOLUTION = (CURRICULUM / f"solutions/{STEM}.py").read_bytes()
STUB = (CURRICULUM / f"puzzles/{STEM}.py").read_bytes()


def everything(workspace: Path) -> set[bytes]:
    """Return the content of every file of a workspace."""
    return {path.read_bytes() for path in workspace.rglob("*") if path.is_file()}


def test_there_and_back_with_the_same_bytes(run: Run, workspace: Path, puzzle: Path) -> None:
    mine = b"# caf\xe9, \x00 and no newline\r\n# verdict: fail"
    puzzle.write_bytes(mine)
    puzzle.chmod(0o640)
    there = run("swap", "1")
    assert there.returncode == 0
    assert ".tritonpuzzles/swapped/p01_softmax.py" in there.stdout
    assert puzzle.read_bytes() == SOLUTION
    assert "swap 1" in run("check", "1").stdout
    back = run("swap", "softmax")
    assert puzzle.read_bytes() == mine
    assert puzzle.stat().st_mode & 0o777 == 0o640
    assert "put aside" not in back.stdout


def test_a_swapped_solution_solves_nothing(run: Run, workspace: Path, puzzle: Path) -> None:
    run("swap", "1")
    assert run("check", "1").returncode == 0
    assert "solved" not in run("list").stdout


def test_an_edit_after_swapping_in_is_kept(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("mine")
    run("swap", "1")
    puzzle.write_text("the solution, edited")
    back = run("swap", "1")
    assert puzzle.read_text() == "mine"
    kept = next((workspace / ".tritonpuzzles/backups").iterdir())
    assert kept.read_text() == "the solution, edited"
    assert kept.name in back.stdout


def test_reset_keeps_a_dated_copy_and_says_where(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("# verdict: pass\n")
    run("check", "1")
    done = run("reset", "1")
    kept = next((workspace / ".tritonpuzzles/backups").iterdir())
    assert kept.read_text() == "# verdict: pass\n"
    assert kept.name in done.stdout
    assert puzzle.read_bytes() == STUB
    assert "solved" not in run("list").stdout
    assert "put aside" not in run("reset", "1").stdout


def test_reset_ends_a_swap_and_keeps_the_learners_file(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("mine")
    run("swap", "1")
    run("reset", "1")
    assert puzzle.read_bytes() == STUB
    assert b"mine" in everything(workspace)
    assert SOLUTION not in everything(workspace)
    run("swap", "1")
    assert puzzle.read_bytes() == SOLUTION


def test_missing_files(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.unlink()
    refused = run("swap", "1")
    assert refused.returncode == 2
    assert "tritonpuzzles reset 1" in refused.stderr
    assert run("reset", "1").returncode == 0
    run("swap", "1")
    puzzle.unlink()
    assert run("swap", "1").returncode == 0
    assert puzzle.read_bytes() == STUB


def test_a_link_stays_a_link(run: Run, workspace: Path, puzzle: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.py"
    target.write_text("mine")
    puzzle.unlink()
    puzzle.symlink_to(target)
    run("swap", "1")
    assert puzzle.is_symlink()
    run("swap", "1")
    assert puzzle.is_symlink()
    assert target.read_text() == "mine"


steps = st.lists(st.sampled_from(["swap", "reset", "edit", "delete", "edit"]), max_size=12)


@settings(max_examples=80, deadline=None)
@given(steps)
def test_nothing_is_lost_in_any_order(order: list[str]) -> None:
    os.environ["TRITONPUZZLES_PACK"] = str(CURRICULUM)
    try:
        with tempfile.TemporaryDirectory() as name:
            _run_steps(Workspace(Path(name)), order)
    finally:
        del os.environ["TRITONPUZZLES_PACK"]


def _run_steps(workspace: Workspace, order: list[str]) -> None:
    shutil.copytree(CURRICULUM / "puzzles", workspace.root / "puzzles")
    path, written = workspace.file(PUZZLE), set()
    for number, step in enumerate(order):
        if step == "edit":
            if path.exists():
                written.discard(b"")
                if path.read_bytes() in written and path.read_bytes() not in _others(workspace, path):
                    written.discard(path.read_bytes())  # the learner wrote over it
            path.write_bytes(f"edit {number}".encode())
            written.add(path.read_bytes())
        elif step == "delete":
            gone = path.read_bytes() if path.exists() else b""
            path.unlink(missing_ok=True)
            if gone not in everything(workspace.root):
                written.discard(gone)  # the learner deleted it
        else:
            try:
                swap(workspace, PUZZLE) if step == "swap" else reset(workspace, PUZZLE)
            except FrontError:
                assert not path.exists()
        assert written <= everything(workspace.root), (order, step)


def _others(workspace: Workspace, path: Path) -> set[bytes]:
    return {p.read_bytes() for p in workspace.root.rglob("*") if p.is_file() and p != path}


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the program may catch it."""


def kill_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process die before its count-th step that changes or settles a file."""
    steps = iter(range(count))

    def before(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            if next(steps, None) is None:
                raise Killed
            return function(*args, **kwargs)

        return step

    monkeypatch.setattr(os, "fsync", before(os.fsync))
    monkeypatch.setattr(Path, "replace", before(Path.replace))
    monkeypatch.setattr(Path, "unlink", before(Path.unlink))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("change", [swap, reset])
def test_a_kill_between_any_two_steps_loses_nothing(
    change: Callable[..., Any], swapped: bool, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITONPUZZLES_PACK", str(CURRICULUM))
    place, killed = Workspace(workspace), True
    for count in range(60):
        if not killed:
            assert count > 4
            return
        shutil.rmtree(workspace / ".tritonpuzzles", ignore_errors=True)
        place.file(PUZZLE).write_text("mine")
        wanted = {b"mine"}
        if swapped:
            swap(place, PUZZLE)
            place.file(PUZZLE).write_text("edited")
            wanted.add(b"edited")
        with monkeypatch.context() as patched:
            kill_after(count, patched)
            try:
                change(place, PUZZLE)
                killed = False
            except Killed:
                pass
        assert wanted <= everything(workspace), count
        for again in (swap, swap, reset):
            again(place, PUZZLE)
            assert wanted <= everything(workspace), (count, again)
    pytest.fail("it never came to its end")
