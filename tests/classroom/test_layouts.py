"""The trial's class is the same class in whichever layout it comes, and each layout's own data is understood."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.classroom.making import P0, P1, P3, RIGHT, archive, folder, found, reasons, taken, zipped
from tests.classroom.trial_class import MISSING, UNTAKEN, trial_class, write_class
from tests.classroom.trial_layouts import LAYOUTS
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.roster import read_metadata
from tritonpuzzles.front.classroom.intake.take_in import take_in
from tritonpuzzles.front.classroom.model import Intake
from tritonpuzzles.front.errors import FrontError

SAID = {
    "folders": "a folder for each student",
    "zip": "a folder for each student",
    "canvas": "Canvas's file names",
    "moodle": "Moodle's folders",
    "gradescope": "Gradescope's export",
    "nbgrader": "nbgrader's folders",
    "github": "clones of GitHub Classroom, without times",
}


def taken_trial(layout: str, out: Path) -> Intake:
    named = write_class(trial_class(), out, layout)
    return take_in(named, class_settings(out / "class.toml", named))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_file_of_the_trial_finds_its_student_and_puzzle(layout: str, tmp_path: Path) -> None:
    trial = trial_class()
    intake = taken_trial(layout, tmp_path)
    assert intake.layout == SAID[layout]
    graded = {key for key, verdict in trial.expected.items() if verdict not in (MISSING, UNTAKEN)}
    assert set(found(intake)) == graded
    assert {(one.student, one.puzzle and one.puzzle.number) for one in intake.untaken} == {
        key for key, verdict in trial.expected.items() if verdict == UNTAKEN
    }
    assert set(intake.students) == {one.id for one in trial.students[:-1]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_text_that_counts_is_the_same_in_every_layout(layout: str, tmp_path: Path) -> None:
    ours = {key: one.file.read_bytes() for key, one in found(taken_trial("folders", tmp_path / "folders")).items()}
    assert {key: one.file.read_bytes() for key, one in found(taken_trial(layout, tmp_path / layout)).items()} == ours


@pytest.mark.parametrize("layout", ["folders", "zip", "moodle", "gradescope", "nbgrader"])
def test_times_of_handing_in_are_known(layout: str, tmp_path: Path) -> None:
    trial = trial_class()
    students = {one.id: one for one in trial.students}
    for (student, _), one in found(taken_trial(layout, tmp_path)).items():
        assert one.handed_in is not None
        assert one.handed_in.tzinfo is not None
        assert abs(one.handed_in - students[student].handed_in) < timedelta(minutes=5)


def test_canvas_says_who_is_late_and_no_time(tmp_path: Path) -> None:
    late = {one.id for one in trial_class().students if one.is_late}
    for one in taken_trial("canvas", tmp_path).files:
        assert one.handed_in is None
        assert one.is_late == (one.student in late)


def test_the_class_is_the_same_when_it_is_made_again(tmp_path: Path) -> None:
    assert trial_class(3) == trial_class(3)
    assert trial_class(3).files != trial_class(4).files
    assert len(trial_class().files) == 118


def test_a_zip_for_each_student(tmp_path: Path) -> None:
    archive(tmp_path / "class/ada.zip", {f"work/{P0}": RIGHT[0]})
    archive(tmp_path / "class/bob.zip", {P1: RIGHT[1]})
    intake = taken(tmp_path / "class")
    assert intake.layout == "a zip for each student"
    assert {key: one.shown for key, one in found(intake).items()} == {
        ("ada", 0): f"ada.zip/work/{P0}",
        ("bob", 1): f"bob.zip/{P1}",
    }


def test_a_zip_of_zips(tmp_path: Path) -> None:
    inner = {f"ada_{n}_assignsubmission_file_/homework.zip": zipped({P0: RIGHT[0]}, tmp_path) for n in (1, 2)}
    intake = taken(archive(tmp_path / "class.zip", inner))
    assert intake.layout == "Moodle's folders"
    assert set(found(intake)) == {("ada_1", 0), ("ada_2", 0)}  # two of one name are two


def test_moodle_without_folders(tmp_path: Path) -> None:
    path = folder(tmp_path, {f"Ada Lovelace_7_assignsubmission_file_{P3}": RIGHT[3]})
    assert set(found(taken(path, roster=[("al1", "Lovelace, Ada")]))) == {("al1", 3)}


def test_names_that_mean_two_students_mean_none(tmp_path: Path) -> None:
    roster = [("a1", "Ada Lovelace"), ("a2", "Ada Lovelace")]
    assert set(found(taken(folder(tmp_path, {f"Ada Lovelace/{P0}": RIGHT[0]}), roster=roster))) == {("Ada Lovelace", 0)}


def test_canvas_with_two_of_one_name_and_a_roster_of_its_numbers(tmp_path: Path) -> None:
    files = {f"lovelaceada_{user}_9{user}_{P0}": RIGHT[0] for user in (11, 12)}
    path = folder(tmp_path, {**files, f"turingalan_LATE_13_77_{P1}": RIGHT[1]})
    assert {one.student for one in taken(path).files} == {"lovelaceada_11", "lovelaceada_12", "turingalan"}
    roster = [("11", "Lovelace, Ada"), ("12", "Lovelace, Ada"), ("13", "Turing, Alan")]
    assert {one.student for one in taken(path, roster=roster).files} == {"11", "12", "13"}


def test_canvas_counts_the_later_attachment(tmp_path: Path) -> None:
    path = folder(tmp_path, {f"lovelaceada_1_20_{P0}": "later", f"lovelaceada_1_3_{P0}": "earlier"})
    assert found(taken(path))["lovelaceada", 0].file.read_text() == "later"


def test_github_takes_students_and_times_from_classrooms_table(tmp_path: Path) -> None:
    header = "assignment_name,student_repository_name,github_username,roster_identifier,submission_timestamp"
    rows = ["hw1,hw1-jane-doe,jane-doe,jd@example.edu,2026-11-20 14:28:15 UTC", "hw1,hw1-jane-roe,jane-roe,,"]
    files: dict[str, str | bytes] = {"grades.csv": "\n".join([header, *rows]) + "\n"}
    for user in ("jane-doe", "jane-roe"):
        files |= {f"hw1-{user}/.git/HEAD": "ref: refs/heads/main", f"hw1-{user}/puzzles/{P0}": RIGHT[0]}
    intake = taken(folder(tmp_path, files), roster=[("doe7", "jd@example.edu")])
    assert {key: one.handed_in for key, one in found(intake).items()} == {
        ("doe7", 0): datetime(2026, 11, 20, 14, 28, 15, tzinfo=timezone.utc),
        ("jane-roe", 0): None,
    }
    assert intake.layout == "clones of GitHub Classroom"


def test_a_clone_of_the_course_brings_nobodys_work_along(tmp_path: Path) -> None:
    names = ("puzzles", "solutions", "tests/mutants/p00_vector_add/right")
    path = folder(tmp_path, {f"hw-ada/{name}/{P0}": f"# {name}\n" for name in names} | {"hw-ada/.git/HEAD": ""})
    assert found(taken(path))["hw-ada", 0].file.read_text() == "# puzzles\n"


def test_a_group_on_gradescope_is_graded_each(tmp_path: Path) -> None:
    metadata = """---
submission_5:
  :submitters:
  - :name: "Ada \\"The\\" Lovelace"
    :sid: '007'
    :email: ada@example.edu
  - :name: Bob
    :sid:
    :email: bob@example.edu
  :created_at: 2026-11-20 23:59:59.000000000 -0800
  :results:
    output: |-
      submission_5:
      :created_at: 1999-01-01 00:00:00 Z
submission_6:
  :submitters: []
"""
    files = {"export/submission_metadata.yml": metadata, f"export/submission_5/{P0}": RIGHT[0]}
    intake = taken(folder(tmp_path, {**files, f"export/submission_6/{P1}": RIGHT[1], f"export/other/{P1}": RIGHT[1]}))
    assert set(found(intake)) == {("007", 0), ("bob@example.edu", 0)}
    assert intake.files[0].handed_in == datetime(2026, 11, 21, 7, 59, 59, tzinfo=timezone.utc)
    assert read_metadata(metadata)["submission_5"].submitters[0]["name"] == 'Ada "The" Lovelace'
    stray = "It lies in no submission of which submission_metadata.yml names a submitter."
    assert reasons(intake) == {f"export/other/{P1}": stray, f"export/submission_6/{P1}": stray}


def test_a_real_yaml_parser_reads_the_same(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    path = write_class(trial_class(), tmp_path, "gradescope") / "submission_metadata.yml"
    ours, theirs = read_metadata(path.read_text(encoding="utf-8")), yaml.safe_load(path.read_text(encoding="utf-8"))
    assert ours.keys() == theirs.keys()
    for name, submission in ours.items():
        assert submission.created == theirs[name][":created_at"]
        assert submission.submitters == [{key[1:]: v for key, v in one.items()} for one in theirs[name][":submitters"]]


def test_metadata_that_names_nobody_is_refused(tmp_path: Path) -> None:
    path = folder(tmp_path, {"submission_metadata.yml": "{}\n", f"submission_5/{P0}": RIGHT[0]})
    with pytest.raises(FrontError, match="names no submission"):
        taken(path)


def test_nbgrader_in_its_course_folder_with_a_time_zone(tmp_path: Path) -> None:
    files = {f"submitted/ada/hw1/{P0}": RIGHT[0], f"source/hw1/{P0}": RIGHT[0], f"submitted/{P1}": RIGHT[1]}
    stamp = "2026-02-02 15:58:23.948203 America/Los_Angeles\n"
    intake = taken(folder(tmp_path, {**files, "submitted/ada/hw1/timestamp.txt": stamp}))
    handed_in = found(intake)["ada", 0].handed_in
    assert handed_in is not None
    assert handed_in.astimezone(timezone.utc) == datetime(2026, 2, 2, 23, 58, 23, 948203, tzinfo=timezone.utc)
    assert reasons(intake) == {f"submitted/{P1}": "It does not lie in submitted/STUDENT/ASSIGNMENT/."}


def test_a_student_called_submitted_hides_nobody(tmp_path: Path) -> None:
    path = folder(tmp_path, {f"{name}/hw/{P0}": RIGHT[0] for name in ("ada", "bob", "submitted")})
    assert taken(path).students == ("ada", "bob", "submitted")


def test_a_time_that_one_student_wrote_is_not_the_layouts(tmp_path: Path) -> None:
    files = {f"{name}/hw/{P0}": RIGHT[0] for name in ("ada", "bob", "cy")}
    intake = taken(folder(tmp_path, {**files, "ada/hw/timestamp.txt": "2000-01-01 00:00:00.0 UTC"}))
    assert intake.layout == "a folder for each student"
    assert all(one.handed_in and one.handed_in.year == 2026 for one in intake.files)


def test_folders_in_a_folder_beside_the_classs_own(tmp_path: Path) -> None:
    files = {
        "class.toml": "",
        "all/ada/deep/er/p00_vector_add.py": RIGHT[0],
        "all/bob/.hidden.py": "",
        "all/bob/a.txt": "",
    }
    intake = taken(folder(tmp_path, files))
    assert intake.students == ("ada", "bob")
    assert reasons(intake) == {"bob": "No file for a puzzle of this class was found."}


def test_a_file_in_no_folder_is_nobodys(tmp_path: Path) -> None:
    intake = taken(folder(tmp_path, {f"ada/{P0}": RIGHT[0], f"bob/{P0}": RIGHT[0], P1: RIGHT[1]}))
    assert [(one.student, one.shown) for one in intake.untaken] == [("", P1)]


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_what_is_no_class_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(FrontError, match="neither a folder nor a zip"):
        taken(tmp_path / name)
