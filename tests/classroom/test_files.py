"""Whatever lies in a student's folder is graded or has a sentence of its own, and everybody else is graded."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.classroom.making import P0, P1, P3, RIGHT, folder, found, reasons, taken
from tests.classroom.trial_texts import notebook, stub
from tritonpuzzles.front.classroom.intake import pieces
from tritonpuzzles.front.classroom.intake.gathering import gathered
from tritonpuzzles.front.classroom.intake.take_in import MOST_UNTAKEN
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.sandbox import read_regular, remove_tree

GOOD = {f"bob/{P0}": RIGHT[0]}


def test_what_is_no_file_is_said_and_the_next_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path / "class", {**GOOD, "ada/elsewhere/x.txt": ""})
    outside = folder(tmp_path, {f"secret/{P3}": "answers"})
    os.mkfifo(path / "ada" / P0)
    (path / "ada" / P1).mkdir()
    (path / "ada" / P3).symlink_to(outside / "secret" / P3)
    (path / "ada" / "p02_blocked_softmax.py").symlink_to("nowhere")
    (path / "ada" / "all").symlink_to(outside / "secret")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(path / "ada")
        listening.bind("p04_tiled_softmax.py")  # the whole path may be longer than an address
    intake = taken(path)
    link = "It is a symbolic link, and no link is followed: hand in the file itself."
    device = "It is a pipe, a socket or a device, and a file is expected."
    assert set(found(intake)) == {("bob", 0)}
    assert reasons(intake) == {
        f"ada/{P0}": device,
        f"ada/{P1}": "It is a folder, and a file is expected.",
        f"ada/{P3}": link,
        "ada/p02_blocked_softmax.py": link,
        "ada/all": link,
        "ada/p04_tiled_softmax.py": device,
    }
    assert [one.puzzle and one.puzzle.number for one in intake.untaken] == [None, 0, 1, 2, 3, 4]


@pytest.fixture
def no_root() -> Iterator[Path]:
    """Return a folder of a user who may not read everything, who runs the test."""
    made = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(made, 65534, 65534)
        os.seteuid(65534)
        yield made
        os.seteuid(0)
    else:
        yield made
    remove_tree(made)


def test_a_folder_that_cannot_be_read_is_said(no_root: Path) -> None:
    path = folder(no_root / "class", {**GOOD, f"cy/{P0}": ""})
    (path / "cy").chmod(0)
    tree = gathered(path, no_root)
    assert tree.refused == [(("cy",), "cannot be read: Permission denied")]
    assert [entry.parts for entry in tree.files] == [("bob", P0)]
    path.chmod(0)
    with pytest.raises(FrontError, match="cannot be read"):
        gathered(path, no_root)


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path, most: int, *, follow: bool = True) -> bytes:
        if path.parent.name == "ada":
            raise PermissionError(13, "Permission denied", str(path))
        return read_regular(path, most, follow=follow)

    monkeypatch.setattr(pieces, "read_regular", read)
    intake = taken(folder(tmp_path, {**GOOD, f"ada/{P0}": ""}))
    assert reasons(intake) == {f"ada/{P0}": "It cannot be read: Permission denied."}
    assert set(found(intake)) == {("bob", 0)}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0" * 100, RIGHT[0].replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + RIGHT[0].encode(),
        RIGHT[0].replace("x", "\xe4").encode("latin-1", "replace"), "x".encode("utf-16"), b"(" * 100_000,
    ],
    ids=["empty", "nul", "crlf", "bom", "latin-1", "utf-16", "brackets"],
)  # fmt: skip
def test_any_text_under_its_name_is_for_the_grader_to_judge(data: bytes, tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {f"ada/{P0}": data}))
    assert found(intake)["ada", 0].file.read_bytes() == data
    assert intake.untaken == ()


def test_a_file_that_is_too_large_says_how_large(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {**GOOD, f"ada/{P0}": b"#" * 5_242_880}))
    assert reasons(intake)[f"ada/{P0}"] == "It has 5,242,880 bytes; a .py file may have 1,048,576."


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is not a notebook: Expecting value"),
        (b'{"cells": [', "is not a notebook: Expecting value"),
        (b"[" * 100_000, "is not a notebook: maximum recursion"),
        (b"\xff\xfe\xff", "is not a notebook"),
        (b'{"worksheets": []}', "it has no cells"),
        (b'{"cells": [1, {"cell_type": "code", "source": [2]}]}', "no cell that begins with %%puzzle"),
    ],
)
def test_a_notebook_that_is_none_is_said(data: bytes, why: str, tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {**GOOD, "ada/p03_online_softmax.ipynb": data}))
    assert set(found(intake)) == {("bob", 0)}
    assert why in reasons(intake)["ada/p03_online_softmax.ipynb"]
    assert intake.untaken[0].puzzle is not None


def test_a_notebook_holds_several_puzzles_with_the_lines_of_their_cells(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {"ada/homework.ipynb": notebook({0: RIGHT[0], 3: RIGHT[3]})}))
    one = found(intake)["ada", 3]
    assert one.shown == f"ada/homework.ipynb/{P3}"
    assert one.how == "by its cell %%puzzle 3"
    assert one.file.read_text().startswith("# %%puzzle 3\nimport torch")
    assert set(found(intake)) == {("ada", 0), ("ada", 3)}


def test_a_cell_with_help_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = notebook({0: RIGHT[0]}).replace(b"%%puzzle 0", b"%%puzzle 0 --help")
    assert taken(folder(tmp_path, {"ada/a.ipynb": data})).files == ()
    assert capsys.readouterr() == ("", "")


def test_the_newer_of_several_counts_and_both_are_named(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {f"ada/{P0}": RIGHT[0], "ada/work.ipynb": notebook({0: RIGHT[0]})}))
    note = f"For puzzle 0 ada/work.ipynb/{P0} counts and not ada/{P0}: it was handed in later."
    assert found(intake)["ada", 0].notes == (note,)


def test_of_one_time_the_file_counts_before_the_notebook(tmp_path: Path) -> None:
    path = folder(tmp_path, {"ada/a.ipynb": notebook({0: RIGHT[0]}), f"ada/{P0}": RIGHT[0]})
    for file in (path / "ada").iterdir():
        os.utime(file, (1e9, 1e9))
    one = found(taken(path))["ada", 0]
    assert one.shown == f"ada/{P0}"
    assert one.notes[0].endswith("a .py file counts before a notebook.")


def test_many_versions_make_one_short_note(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {f"ada/p00_vector_add ({n}).py": RIGHT[0] for n in range(1, 90)}))
    (note,) = found(intake)["ada", 0].notes
    assert "(89).py counts" in note
    assert "85 others" in note


def test_a_stub_never_counts_before_work(tmp_path: Path) -> None:
    unedited = {"ada/later.ipynb": notebook({0: stub(0)}), f"ada/puzzles/{P3}": stub(3)}
    intake = taken(folder(tmp_path, {f"ada/{P0}": RIGHT[0], **unedited}))
    assert found(intake)["ada", 0].shown == f"ada/{P0}"
    assert found(intake)["ada", 0].notes == ()
    assert found(intake)["ada", 3].file.read_text() == stub(3)  # alone it is graded like any file


def test_what_the_class_does_not_have_is_said_unless_nobody_edited_it(tmp_path: Path) -> None:
    files = {f"ada/{P0}": RIGHT[0], f"ada/{P1}": RIGHT[1], f"ada/{P3}": stub(3)}
    intake = taken(folder(tmp_path, files), 0, 2)
    assert set(found(intake)) == {("ada", 0)}
    assert reasons(intake) == {f"ada/{P1}": "It is for puzzle 1, by its name; this class has 0 and 2."}


def test_files_that_were_meant_have_a_sentence(tmp_path: Path) -> None:
    files = {"ada/work.rar": "", "ada/p03_online_softmax.py.txt": "", "ada/p03_online_softmax.docx": "", "ada/a.md": ""}
    intake = taken(folder(tmp_path, {**files, f"ada/__pycache__/{P0}": "", f"ada/.tritonpuzzles/{P0}": ""}))
    assert reasons(intake) == {
        "ada/work.rar": "It is an archive of a kind that is not read: hand in a zip.",
        "ada/p03_online_softmax.py.txt": "It does not end in .py or .ipynb.",
        "ada/p03_online_softmax.docx": "It does not end in .py or .ipynb.",
    }


def test_a_thousand_files_that_are_none_are_counted(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {f"ada/notes{n}.py": "x = 1\n" for n in range(50)}))
    assert len(intake.untaken) == MOST_UNTAKEN + 1
    assert intake.untaken[-1].reason == "And 30 other files that are not graded."


def test_folders_without_end_end(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {**GOOD, f"ada/{'d/' * 30}{P0}": RIGHT[0]}))
    assert set(found(intake)) == {("bob", 0)}
    assert "16 folders deep" in intake.untaken[0].reason


NAMES = st.one_of(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=40),
    st.binary(min_size=1, max_size=30).map(lambda data: os.fsdecode(data.replace(b"/", b"_").replace(b"\0", b"_"))),
    st.sampled_from(
        ["=1+1", "<b>", "\x1b[2J", "-rf", "submitted", "puzzles", "ada_LATE_1_2_x", "a_1_assignsubmission_file_"]
    ),
).filter(lambda name: name not in (".", "..") and len(os.fsencode(name)) < 200)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(NAMES, NAMES, st.sampled_from(["", ".py", ".ipynb", ".zip"]), st.binary(max_size=60)), max_size=6
    )
)
def test_names_may_be_anything(files: list[tuple[str, str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as made:
        for student, name, end, data in files:
            place = Path(made, student)
            if not place.is_file():
                place.mkdir(exist_ok=True)
                if not (place / f"{name}{end}").is_dir():
                    (place / f"{name}{end}").write_bytes(data)
        intake = taken(Path(made))
        for one in (*intake.files, *intake.untaken):
            "".join((one.student, one.shown)).encode()
        "".join(intake.students).encode()
        assert all(one.reason.endswith(".") for one in intake.untaken)
