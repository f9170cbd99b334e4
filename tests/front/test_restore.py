"""Restore: whatever a command put aside is listed and comes back, and each restore can be undone."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front.conftest import CURRICULUM, Run
from tests.front.test_swap import PUZZLE, SOLUTION, STUB, Killed, everything, kill_after
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.history import copies, copy_named, put, reset, restore, swap


def row(printed: str, name: str) -> str:
    """Return the rest of the line that begins with a copy's name."""
    found = re.search(rf"^  {re.escape(name)} +(.*)$", printed, re.MULTILINE)
    assert found is not None, printed
    return " ".join(found[1].split())


def test_nothing_put_aside(run: Run, workspace: Path) -> None:
    assert run("restore").stdout == "Nothing is put aside.\n"
    assert run("restore", "--list", "1").stdout == "Nothing of puzzle 1 is put aside.\n"
    refused = run("restore", "1")
    assert refused.returncode == 2
    assert refused.stderr.startswith("tritonpuzzles: Nothing of puzzle 1 is put aside that differs from its file.\n")
    assert not (workspace / ".tritonpuzzles").exists()


def test_in_real_processes(run_process: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("mine\n")
    assert "tritonpuzzles restore 1 brings your file back" in run_process("reset", "1").stdout
    listed = run_process("restore")
    assert listed.returncode == 0
    assert listed.stdout.startswith("puzzles/p01_softmax.py\n")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d reset 1 line, \+1 -\d+", row(listed.stdout, "1.1"))
    assert "Next: tritonpuzzles restore 1.1" in listed.stdout
    back = run_process("restore", "1")
    assert back.returncode == 0
    assert puzzle.read_text() == "mine\n"
    assert "is again what reset put aside on" in back.stdout
    assert "The stub was there before; tritonpuzzles reset 1" in " ".join(back.stdout.split())
    assert "Next: tritonpuzzles check 1" in back.stdout
    assert row(run_process("restore").stdout, "1.1").endswith("1 line, the same as now")


def test_a_restore_is_undone_by_another(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("first")
    run("reset", "1")
    puzzle.write_text("second")
    said = run("restore", "softmax").stdout
    assert puzzle.read_text() == "first"
    assert "tritonpuzzles restore 1.2 brings it back" in " ".join(said.split())
    for wanted in ("second", "first", "second"):
        run("restore", "1")
        assert puzzle.read_text() == wanted
    assert "restore" in row(run("restore").stdout, "1.2")
    assert "nothing was changed" in run("restore", "1.2").stdout
    assert len(list((workspace / ".tritonpuzzles/backups").iterdir())) == 2


def test_names_stay_while_more_is_put_aside(run: Run, workspace: Path, puzzle: Path) -> None:
    for number in range(12):
        puzzle.write_text(f"{number}")
        run("reset", "1")
    for number in (11, 0, 5):
        run("restore", f"1.{number + 1}")
        assert puzzle.read_text() == f"{number}"
    names = re.findall(r"^  (1\.\d+) ", run("restore").stdout, re.MULTILINE)
    assert names == [f"1.{number}" for number in range(12, 0, -1)]


def test_what_a_swap_has_put_aside(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("mine")
    run("swap", "1")
    assert " swap " in row(run("restore").stdout, "1.swap")
    said = run("restore", "1").stdout
    assert puzzle.read_text() == "mine"
    assert "The solution was there before; tritonpuzzles swap 1" in " ".join(said.split())
    assert run("restore").stdout == "Nothing is put aside.\n"


def test_an_old_copy_ends_a_swap_and_keeps_what_waited(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("old")
    run("reset", "1")
    puzzle.write_text("mine")
    run("swap", "1")
    said = run("restore", "1.1").stdout
    assert puzzle.read_text() == "old"
    assert "What you had before is put aside; tritonpuzzles restore 1.2" in " ".join(said.split())
    assert "1.swap" not in run("restore").stdout
    run("restore", "1.2")
    assert puzzle.read_text() == "mine"


def test_what_a_cell_replaced(workspace: Path, puzzle: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONPUZZLES_PACK", str(CURRICULUM))
    puzzle.write_text("written in an editor")
    put(Workspace(workspace), PUZZLE, b"written in a cell")
    assert " %%puzzle " in row(run("restore").stdout, "1.1")
    run("restore", "1")
    assert puzzle.read_text() == "written in an editor"


def test_notebooks_and_puzzles_of_other_versions(run: Run, workspace: Path) -> None:
    folder = workspace / ".tritonpuzzles/backups"
    folder.mkdir(parents=True)
    notebook = "00_start.2026-11-05-142501.notebook.ipynb"
    names = [
        notebook,
        "p77_gone.2026-11-05-142501.py",
        "p01_softmax.2026-11-05-142501-2.later.py",
        "p09_softmax.py.orig",
    ]
    for name in [*names, "p01_softmax.2026-99-99-999999.py", "x.2026-11-05-142501.output.ipynb"]:
        (folder / name).write_text(name)
    printed = " ".join(run("restore", COLUMNS="100").stdout.split())
    assert "puzzles/p77_gone.py" in printed
    assert "notebooks/00_start.ipynb" in printed
    assert "an earlier version 1 line, no file there now" in printed
    assert "1.1 2026-11-05 14:25 later" in printed
    assert "output" not in printed
    assert run("restore", notebook).returncode == 0
    assert (workspace / "notebooks/00_start.ipynb").read_text() == notebook
    assert run("restore", "p77_gone.2026-11-05-142501.py").returncode == 0
    assert (workspace / "puzzles/p77_gone.py").exists()


@pytest.mark.parametrize("name", ["1.9", "9.1", "p01_softmax.2026-01-01-000000.reset.py"])
def test_a_copy_that_is_not_there(name: str, run: Run, workspace: Path) -> None:
    done = run("restore", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Nothing is put aside as {name}." in done.stderr


def test_a_narrow_terminal(run: Run, workspace: Path, puzzle: Path) -> None:
    puzzle.write_text("mine")
    run("reset", "1")
    printed = run("restore", COLUMNS="60").stdout
    assert max(map(len, printed.splitlines())) <= 60
    assert row(printed, "1.1").endswith("reset 1 line, +1 -9")


steps = st.lists(st.sampled_from(["swap", "reset", "edit", "cell", "restore", "oldest"]), max_size=14)


@settings(max_examples=80, deadline=None)
@given(steps)
def test_all_that_was_ever_written_can_be_brought_back(order: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        patched.setenv("TRITONPUZZLES_PACK", str(CURRICULUM))
        workspace = Workspace(Path(name))
        shutil.copytree(CURRICULUM / "puzzles", workspace.root / "puzzles")
        written = _after(workspace, order)
        for data in written:
            found = [copy for copy in copies(workspace) if copy.path.read_bytes() == data]
            assert found or workspace.file(PUZZLE).read_bytes() == data, (order, data)
        for copy in [copy.name for copy in copies(workspace) if not copy.waits]:
            chosen = copy_named(workspace, copy)
            data = chosen.path.read_bytes()
            restore(workspace, chosen)
            assert workspace.file(PUZZLE).read_bytes() == data
            assert written <= everything(workspace.root)


def _after(workspace: Workspace, order: list[str]) -> set[bytes]:
    """Do the steps, and return what the learner wrote and never wrote over."""
    path, written = workspace.file(PUZZLE), set()
    for number, step in enumerate(order):
        data, here = f"{step} {number}".encode(), copies(workspace)
        match step:
            case "swap":
                swap(workspace, PUZZLE)
            case "reset":
                reset(workspace, PUZZLE)
            case "cell":
                put(workspace, PUZZLE, data)
                written.add(data)
            case "edit":
                gone = path.read_bytes()
                path.write_bytes(data)
                written = {known for known in written if known != gone or known in everything(workspace.root)} | {data}
            case _ if here:
                restore(workspace, here[0 if step == "restore" else -1])
        assert written <= everything(workspace.root), (order, step)
    return written - {STUB, SOLUTION}


def test_a_kill_between_any_two_steps_loses_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITONPUZZLES_PACK", str(CURRICULUM))
    place, wanted = Workspace(workspace), {b"old", b"mine", b"edited"}
    for count in range(60):
        shutil.rmtree(workspace / ".tritonpuzzles", ignore_errors=True)
        for text, step in (("old", reset), ("mine", swap)):
            place.file(PUZZLE).write_text(text)
            step(place, PUZZLE)
        place.file(PUZZLE).write_text("edited")
        with monkeypatch.context() as patched:
            kill_after(count, patched)
            try:
                restore(place, copy_named(place, "1.1"))
            except Killed:
                assert wanted <= everything(workspace), count
                assert all(path.read_bytes() != b"" for path in (workspace / ".tritonpuzzles/backups").glob("p*"))
                continue
        assert count > 4
        assert wanted <= everything(workspace)
        return
    pytest.fail("it never came to its end")
