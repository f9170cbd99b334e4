"""The book of a class, `grades.csv` and `junit.xml`: everyone is in them, and nothing in them is run."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from tests.classroom.made_class import DUE, HOSTILE, PUZZLES, a_class, outcome, settings, told
from tritonpuzzles.front.classroom.model import Assigned, Intake, Outcome, Student, Submitted, Untaken
from tritonpuzzles.front.classroom.results.book import Book, book_of
from tritonpuzzles.front.classroom.results.grades import BEGINS, grades_csv, grid, junit_xml

GOLDEN = Path(__file__).parent / "golden"


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def small(*outcomes: Outcome, **intake: object) -> Book:
    """A class of four with one puzzle."""
    four = tuple(Student(id, id.title()) for id in ("ada", "alan", "grace", "kurt"))
    one = settings(assigned=(Assigned(PUZZLES[3], 5.0, DUE),), roster=four)
    return book_of(one, Intake("a folder", (), **intake), outcomes)


def infra(student: str, **more: object) -> Outcome:
    findings = (told("grader-fault", "The judge has died."),)
    return outcome(student, PUZZLES[3], "infra_error", findings=findings, **more)


def test_everyone_is_in_the_grades_the_roster_first() -> None:
    class_settings, intake, outcomes = a_class()
    rows = read(grades_csv(book_of(class_settings, intake, outcomes)))
    assert [row[0] for row in rows[1:34]] == [student.id for student in class_settings.roster[:33]]
    assert rows[-1][0] == "guest<b>"
    assert [row[-1] for row in rows[1:]] == ["yes"] * 40 + ["no"]
    assert {len(row) for row in rows} == {2 + 6 + 2 + 12 + 1}
    assert rows[0][:4] == ["student", "name", "p00_vector_add", "p01_softmax"]


def test_a_grade_that_nobody_knows_has_no_number_and_leaves_no_total() -> None:
    book = small(outcome("ada", PUZZLES[3]), infra("alan"), outcome("grace", PUZZLES[3], "fail"))
    points = {row[0]: row[2:5] for row in read(grades_csv(book))[1:]}
    assert points == {"ada": ["5", "5", "0"], "alan": ["", "", "1"], "grace": ["0", "0", "0"], "kurt": ["0", "0", "0"]}
    assert [row[5] for row in read(grades_csv(book))[1:]] == ["pass", "infra_error", "fail", "missing"]


def test_a_file_that_is_not_graded_yet_is_not_missing() -> None:
    waiting = Submitted("ada", PUZZLES[3], Path("x.py"), "ada/x.py", "by its name")
    taken = Untaken("alan", "alan/p03.zip", "It is encrypted.", PUZZLES[3])
    book = book_of(small().settings, Intake("a folder", (waiting,), (taken,)), ())
    assert [row.entries[0].status for row in book.rows] == ["not graded yet", "not taken", "missing", "missing"]
    assert book.rows[0].total is None
    assert book.rows[1].entries[0].notes == ("alan/p03.zip: It is encrypted.",)


def test_the_last_outcome_counts_unless_the_grader_alone_failed() -> None:
    wrong, right = outcome("ada", PUZZLES[3], "fail", key="1"), outcome("ada", PUZZLES[3], key="2")
    failed_again, failed_anew = infra("ada", key="2"), infra("ada", key="3")
    assert small(wrong, right).rows[0].entries[0].status == "pass"
    assert small(right, wrong).rows[0].entries[0].status == "fail"
    assert small(right, failed_again).rows[0].entries[0].status == "pass"
    assert small(failed_again, right).rows[0].entries[0].status == "pass"
    assert small(right, failed_anew).rows[0].entries[0].status == "infra_error"  # another file: nobody knows of it


def test_without_a_roster_those_count_who_are_found() -> None:
    book = book_of(replace(small().settings, roster=()), Intake("a folder", (), students=("zoe",)), [infra("amy")])
    assert [(row.student.id, row.is_on_roster) for row in book.rows] == [("amy", True), ("zoe", True)]


def test_no_cell_is_a_formula() -> None:
    class_settings, intake, outcomes = a_class()
    data = grades_csv(book_of(class_settings, intake, outcomes))
    for row in read(data):
        for cell in row:
            assert not cell.startswith(BEGINS) or cell.lstrip("-").replace(".", "").isdigit()
    assert b'"\'=HYPERLINK(""http' in data
    assert b"\x1b" not in data


@given(st.lists(st.lists(st.text() | st.floats(allow_nan=False, allow_infinity=False), min_size=1), min_size=1))
def test_text_of_any_kind_is_quoted_and_harmless(rows: list[list[str | float]]) -> None:
    data = grid(rows)
    found = read(data)
    assert [len(row) for row in found] == [len(row) for row in rows]
    for row, cells in zip(rows, found, strict=True):
        for value, cell in zip(row, cells, strict=True):
            assert isinstance(value, float) or not cell.startswith(BEGINS)
            assert not isinstance(value, float) or float(cell) == value
            assert "\n" not in cell
            assert "\r" not in cell


def test_numbers_stay_numbers() -> None:
    assert grid([[5.0, -1.5, 0, None, "5", "-2"]]).decode("utf-8-sig") == '5,-1.5,0,"","5","\'-2"\r\n'


def test_junit_has_its_golden_form() -> None:
    outcomes = [outcome("ada", PUZZLES[3]), outcome("alan", PUZZLES[3], "fail"), infra("grace")]
    assert junit_xml(small(*outcomes)).decode() == (GOLDEN / "junit.xml").read_text(encoding="utf-8")


def test_junit_counts_what_it_holds_and_is_xml_whatever_students_write() -> None:
    root = ElementTree.fromstring(junit_xml(book_of(*a_class())))
    assert set(root.keys()) == {"name", "tests", "failures", "errors", "time"}
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [puzzle.stem for puzzle in PUZZLES]
    for suite in suites:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase")) == 41
        for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name, "")) == len(suite.findall(f"testcase/{kind}"))
    assert len({case.get("name") for case in suites[0]}) == 41  # hostile names stay apart
    assert int(root.get("errors", "")) > 0


@given(st.sampled_from(HOSTILE) | st.text())
def test_any_text_is_xml(text: str) -> None:
    failed = outcome(text, PUZZLES[3], "fail", findings=(told(text or "x", text, 1, text, text),), notes=(text,))
    case = ElementTree.fromstring(junit_xml(small(failed)))[0][-1]
    assert case.get("classname") == "p03_online_softmax"
