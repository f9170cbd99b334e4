"""From a cell to the file and back: the learner's work survives, in the file or in a backup."""

from __future__ import annotations

import shutil

import pytest

from tests.notebook.conftest import ROOT
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.place import cell_of, place, whole_file
from tritonpuzzles.front.notebook.source import read_source
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.swap import is_swapped, swap

SOLUTION = ROOT / "solutions" / "p03_online_softmax.py"
SOLVED = read_source(SOLUTION).code
STUB = read_source(ROOT / "puzzles" / "p03_online_softmax.py")


def backups(workspace: Workspace) -> list[str]:
    return sorted(path.read_text() for path in (workspace.state_folder / "backups").glob("*"))


def test_a_cell_becomes_the_file_below_its_story(workspace: Workspace, online: Puzzle) -> None:
    done = place(workspace, online, SOLVED)
    assert workspace.file(online).read_bytes() == SOLUTION.read_bytes()
    assert done.story_lines == STUB.story.count("\n")
    assert done.notes[0].startswith("Written to ")
    assert backups(workspace) == []
    assert cell_of(workspace, online) == f"%%puzzle 3\n{SOLVED.rstrip()}"


def test_what_was_there_is_kept_and_said(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text(STUB.story + "mine = 1\n")
    done = place(workspace, online, "mine = 2")
    assert workspace.file(online).read_text() == STUB.story + "mine = 2\n"
    assert backups(workspace) == [STUB.story + "mine = 1\n"]
    assert any("backups" in note for note in done.notes)
    assert place(workspace, online, "mine = 2\n\n").notes == ()
    assert len(backups(workspace)) == 1


def test_a_learners_own_story_stays(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("# %% [markdown]\n# My notes.\n\n# %%\nmine = 1\n")
    assert place(workspace, online, "mine = 2").story_lines == 4
    assert workspace.file(online).read_text() == "# %% [markdown]\n# My notes.\n\n# %%\nmine = 2\n"


def test_a_stub_does_not_replace_work(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("work = 1\n")
    done = place(workspace, online, STUB.code)
    assert workspace.file(online).read_text() == "work = 1\n"
    assert "stays as it is" in done.notes[0]
    assert done.story_lines is None
    assert backups(workspace) == []


def test_a_missing_file_comes_back(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).unlink()
    with pytest.raises(FrontError) as caught:
        cell_of(workspace, online)
    assert caught.value.next_step == "tritonpuzzles reset 3"
    place(workspace, online, STUB.code)
    assert read_source(workspace.file(online)) == STUB


def test_a_cell_ends_a_swap_and_the_file_that_waited_is_kept(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("waiting = 1\n")
    swap(workspace, online)
    assert place(workspace, online, STUB.code).story_lines is None
    assert is_swapped(workspace, online)
    place(workspace, online, "mine = 1")
    assert not is_swapped(workspace, online)
    assert workspace.file(online).read_text().endswith("# %%\nmine = 1\n")
    assert backups(workspace) == ["waiting = 1\n"]


def test_a_workspace_that_cannot_be_written_stays_as_it_is(workspace: Workspace, online: Puzzle) -> None:
    shutil.rmtree(workspace.state_folder)
    workspace.state_folder.write_text("a file where the folder belongs")
    with pytest.raises(FrontError) as caught:
        place(workspace, online, SOLVED)
    assert caught.value.code is ExitCode.FAULT
    assert read_source(workspace.file(online)) == STUB


def test_a_whole_file_has_the_shipped_story(online: Puzzle) -> None:
    assert whole_file(online, SOLVED).encode() == SOLUTION.read_bytes()
