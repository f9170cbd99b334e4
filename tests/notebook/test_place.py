"""From a cell to the file and back: the learner's work survives, in the file or in a backup."""

from __future__ import annotations

import shutil

import pytest

from tests.notebook.conftest import ROOT
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook import place as placing
from tritonpuzzles.front.notebook.place import cell_of, place, whole_file
from tritonpuzzles.front.notebook.submitted import cell_submission, file_submission
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.history import is_swapped, swap

SOLUTION = ROOT / "solutions" / "p03_online_softmax.py"
SOLVED = read_source(SOLUTION).code
STUB = read_source(ROOT / "puzzles" / "p03_online_softmax.py")


@pytest.fixture(autouse=True)
def _no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook whose name nobody tells."""
    monkeypatch.delenv(placing.SESSION, raising=False)
    monkeypatch.delenv(placing.ONE_NOTEBOOK, raising=False)
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a kernel that was started anew."""
    monkeypatch.setattr(placing, "_here", {})


def backups(workspace: Workspace) -> list[str]:
    return sorted(path.read_text() for path in (workspace.state_folder / "backups").glob("*"))


def test_a_cell_becomes_the_file_below_its_story(workspace: Workspace, online: Puzzle) -> None:
    done = place(workspace, online, SOLVED)
    assert workspace.file(online).read_bytes() == done.text == SOLUTION.read_bytes()
    assert done.notes[0].startswith("Written to ")
    assert done.question == ()
    assert backups(workspace) == []
    assert cell_of(workspace, online) == f"%%puzzle 3\n{SOLVED.rstrip()}"


def test_what_was_there_is_kept_and_said(workspace: Workspace, online: Puzzle) -> None:
    place(workspace, online, "mine = 1")
    done = place(workspace, online, "mine = 2")
    assert workspace.file(online).read_text() == STUB.story + "mine = 2\n"
    assert backups(workspace) == [STUB.story + "mine = 1\n"]
    assert any("backups" in note for note in done.notes)
    assert place(workspace, online, "mine = 2\n\n").notes == ()
    assert len(backups(workspace)) == 1


def test_what_was_edited_elsewhere_is_asked_for(workspace: Workspace, online: Puzzle) -> None:
    place(workspace, online, "mine = 1")
    elsewhere = STUB.story + "mine = 1\nmore = 2\n"
    workspace.file(online).write_text(elsewhere)
    done = place(workspace, online, "mine = 3")
    assert workspace.file(online).read_text() == elsewhere
    assert backups(workspace) == []
    question, yes, no = done.question
    assert question.startswith("Replace ")
    assert "edited elsewhere since this notebook wrote it" in question
    assert "The cell has 1 line, +1 -2." in question
    assert "%%puzzle 3 --replace" in yes
    assert "%puzzle 3" in no
    assert place(workspace, online, "mine = 3").question == done.question, "asking is no answer"
    assert place(workspace, online, "mine = 3", replace=True).question == ()
    assert workspace.file(online).read_text() == STUB.story + "mine = 3\n"
    assert backups(workspace) == [elsewhere]
    assert place(workspace, online, "mine = 4").question == ()


def test_bringing_the_file_into_a_cell_is_an_answer_too(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text(STUB.story + "editor = 1\n")
    assert "It was written elsewhere" in place(workspace, online, "mine = 1").question[0]
    assert cell_of(workspace, online) == "%%puzzle 3\neditor = 1"
    assert place(workspace, online, "editor = 2").question == ()
    assert backups(workspace) == [STUB.story + "editor = 1\n"]


def test_a_notebook_with_a_name_is_known_again(
    workspace: Workspace, online: Puzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(placing.SESSION, "/course/mine.ipynb")
    place(workspace, online, "mine = 1")
    forget(monkeypatch)
    assert place(workspace, online, "mine = 2").question == ()
    forget(monkeypatch)
    monkeypatch.setenv(placing.SESSION, "/course/other.ipynb")
    assert place(workspace, online, "other = 1").question != ()
    forget(monkeypatch)
    monkeypatch.delenv(placing.SESSION)
    assert place(workspace, online, "nameless = 1").question != ()
    (workspace.state_folder / placing.NAME).write_text("{nonsense")
    monkeypatch.setenv(placing.SESSION, "/course/mine.ipynb")
    assert place(workspace, online, "mine = 3").question != (), "what is not known was written elsewhere"


def test_a_learners_own_story_stays(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("# %% [markdown]\n# My notes.\n\n# %%\nmine = 1\n")
    place(workspace, online, "mine = 2", replace=True)
    assert workspace.file(online).read_text() == "# %% [markdown]\n# My notes.\n\n# %%\nmine = 2\n"


def test_a_stub_does_not_replace_work(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("work = 1\n")
    done = place(workspace, online, STUB.code)
    assert workspace.file(online).read_text() == "work = 1\n"
    assert "stays as it is" in done.notes[0]
    assert not done.is_work
    assert backups(workspace) == []


def test_a_missing_file_comes_back(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).unlink()
    with pytest.raises(FrontError) as caught:
        cell_of(workspace, online)
    assert caught.value.next_step == "tritonpuzzles reset 3"
    place(workspace, online, STUB.code)
    assert read_source(workspace.file(online)) == STUB


def test_a_cell_ends_a_swap_and_the_file_that_waited_is_kept(workspace: Workspace, online: Puzzle) -> None:
    place(workspace, online, "waiting = 1")
    swap(workspace, online)
    assert not place(workspace, online, STUB.code).is_work
    assert is_swapped(workspace, online)
    place(workspace, online, "mine = 1")
    assert not is_swapped(workspace, online)
    assert workspace.file(online).read_text().endswith("# %%\nmine = 1\n")
    assert backups(workspace) == [STUB.story + "waiting = 1\n"]


def test_a_file_that_waits_for_the_end_of_a_swap_is_asked_for(workspace: Workspace, online: Puzzle) -> None:
    workspace.file(online).write_text("waiting = 1\n")
    swap(workspace, online)
    assert place(workspace, online, "mine = 1").question != ()
    assert is_swapped(workspace, online)


def test_a_workspace_that_cannot_be_written_stays_as_it_is(workspace: Workspace, online: Puzzle) -> None:
    shutil.rmtree(workspace.state_folder)
    workspace.state_folder.write_text("a file where the folder belongs")
    with pytest.raises(FrontError) as caught:
        place(workspace, online, SOLVED)
    assert caught.value.code is ExitCode.FAULT
    assert read_source(workspace.file(online)) == STUB


def test_a_whole_file_has_the_shipped_story(online: Puzzle) -> None:
    assert whole_file(online, SOLVED).encode() == SOLUTION.read_bytes()


def test_a_cell_is_graded_by_its_own_lines(online: Puzzle) -> None:
    file = cell_submission(online, "\nx = 1\n\n")
    assert file.opened.read_text() == "# %%puzzle 3\n\nx = 1\n"
    assert file.in_cell
    assert str(file) == "the cell of puzzle 3"
    assert cell_submission(online, "x = 2").opened != file.opened


def test_a_file_has_the_cell_s_lines_as_long_as_it_is_what_a_cell_wrote(workspace: Workspace, online: Puzzle) -> None:
    place(workspace, online, "mine = 1")
    file = file_submission(workspace, online)
    assert file.in_cell
    assert file.opened.read_text() == "# %%puzzle 3\nmine = 1\n"
    assert file.shown == workspace.file(online)
    workspace.file(online).write_text("edited = 1\n")
    assert file_submission(workspace, online).opened == workspace.file(online)
    assert not file_submission(workspace, online).in_cell
    workspace.file(online).unlink()
    assert not file_submission(workspace, online).in_cell
