"""Canvas's own export with points in it: its form is kept to the letter, and what does not fit is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.classroom.made_class import DUE, PUZZLES, outcome, settings
from tests.classroom.test_grades import infra
from tritonpuzzles.front.classroom.model import Assigned, Intake, Outcome, Student
from tritonpuzzles.front.classroom.results.book import Book, book_of
from tritonpuzzles.front.classroom.results.canvas import Filled, filled, read_export
from tritonpuzzles.front.errors import FrontError

GOLDEN = Path(__file__).parent / "golden"
NAMES = (Student("lovelace0", "Ada Lovelace"), Student("turing1", "Alan Turing"), Student("hopper2", "Grace Hopper"))
HEAD = "Student,ID,SIS Login ID,Section"


def book(*outcomes: Outcome, roster: tuple[Student, ...] = NAMES, title: str = "Homework 3") -> Book:
    assigned = tuple(Assigned(PUZZLES[number], 5.0, DUE) for number in (0, 1, 3))
    made = settings(title=title, assigned=assigned, roster=roster)
    return book_of(made, Intake("a folder", ()), outcomes)


def fill(tmp_path: Path, text: str, of: Book) -> Filled:
    path = tmp_path / "export.csv"
    path.write_bytes(text.encode())
    return filled(read_export(path), of)


def cells(found: Filled, line: int) -> list[str]:
    return found.data.decode("utf-8-sig").splitlines()[line].split(",")


def test_an_export_is_filled_and_else_as_it_was() -> None:
    outcomes = [
        outcome("lovelace0", PUZZLES[0]),
        outcome("lovelace0", PUZZLES[1]),
        infra("turing1"),
        outcome("turing1", PUZZLES[1], handed_in="2026-11-21T10:00:00+00:00"),
        outcome("turing1", PUZZLES[0], "infra_error"),
        outcome("guest", PUZZLES[0]),
    ]
    found = filled(read_export(GOLDEN / "canvas_export.csv"), book(*outcomes))
    assert found.data == (GOLDEN / "canvas.csv").read_bytes()
    assert found.told == (
        '2 cells are as in Canvas, not graded yet: Alan Turing in "Vector add (90100)", '
        'Alan Turing in "Puzzle 3: Online softmax (90103)".',
        'Canvas has 10.00 points for "Puzzle 3: Online softmax (90103)", class.toml has 5.',
        "1 student of the class is not in the export: guest.",
        "1 student of the export is not in the class, and keeps what Canvas has: -2+3, Eve.",
    )


def test_an_export_without_points_comes_back_as_it_was(tmp_path: Path) -> None:
    text = f'\ufeff{HEAD},Essay (1)\r\n    Points Possible,,,,10\r\n"Lovelace, Ada",1,lovelace0,A,7.50\r\n'
    assert fill(tmp_path, text, book()).data == text.encode()


def test_semicolons_and_decimal_commas_stay(tmp_path: Path) -> None:
    text = f'{HEAD},Vector add (1)\n    Points Possible,,,,5;00\n"Lovelace, Ada",1,lovelace0,A,\n'
    text = text.replace(", Ada", "+ Ada").replace(",", ";").replace("+ Ada", ", Ada").replace("5;00", "5,00")
    late = outcome("lovelace0", PUZZLES[0], handed_in="2026-11-21T10:00:00+00:00")
    assert fill(tmp_path, text, book(late)).data.decode().splitlines()[2] == "Lovelace, Ada;1;lovelace0;A;4,00"


@pytest.mark.parametrize(
    ("head", "puzzle"),
    [
        ("p03_online_softmax (77)", 3), ("Online Softmax", 3), ("Puzzle 3 (77)", 3), ("HW2: softmax (3)", 1),
        ("Week 4 - puzzle 03, online softmax (12)", 3), ("P1 (3)", 1), ("Vector-add (0)", 0),
    ],
)  # fmt: skip
def test_a_column_is_found_by_its_name_and_not_by_canvass_number(head: str, puzzle: int, tmp_path: Path) -> None:
    text = f'{HEAD},"{head}"\n    Points Possible,,,,5\nLovelace,1,lovelace0,A,\n'
    for number in (0, 1, 3):
        found = fill(tmp_path, text, book(outcome("lovelace0", PUZZLES[number])))
        assert cells(found, 2)[-1] == ("5.00" if number == puzzle else "0.00")


def test_a_column_that_fits_two_puzzles_is_left_alone(tmp_path: Path) -> None:
    text = f"{HEAD},Puzzle 3: softmax (9)\n    Points Possible,,,,5\nLovelace,1,lovelace0,A,1\n"
    found = fill(tmp_path, text, book(outcome("lovelace0", PUZZLES[3])))
    assert cells(found, 2)[-1] == "1"
    assert found.told[0].startswith('The column "Puzzle 3: softmax (9)" fits p03_online_softmax and p01_softmax: ')


def test_two_columns_for_one_puzzle_are_left_alone(tmp_path: Path) -> None:
    text = f"{HEAD},Vector add (8),Vector add again (9)\n    Points Possible,,,,5,5\nLovelace,1,lovelace0,A,,\n"
    found = fill(tmp_path, text, book(outcome("lovelace0", PUZZLES[0])))
    assert cells(found, 2)[-2:] == ["", ""]
    assert "both fit p00_vector_add: rename one in Canvas" in found.told[0]


def test_a_column_of_the_whole_class_gets_all_points(tmp_path: Path) -> None:
    text = f"{HEAD},Homework 3 (12)\n    Points Possible,,,,15\nLovelace,1,lovelace0,A,\nTuring,2,turing1,A,\n"
    outcomes = [outcome("lovelace0", PUZZLES[0]), outcome("lovelace0", PUZZLES[1]), infra("turing1")]
    found = fill(tmp_path, text, book(*outcomes, roster=NAMES[:2]))
    assert [cells(found, 2)[-1], cells(found, 3)[-1]] == ["10.00", ""]
    assert found.told == ('1 cell is as in Canvas, not graded yet: Alan Turing in "Homework 3 (12)".',)


def test_a_name_that_two_rows_fit_gives_points_to_neither(tmp_path: Path) -> None:
    rows = '"Zhang, Wei",1,w1,A,\n"Zhang, Wei",2,w2,A,\n'
    text = f"{HEAD},Vector add (8)\n    Points Possible,,,,5\n{rows}"
    known = (Student("x9", "Wei Zhang"),)
    found = fill(tmp_path, text, book(outcome("x9", PUZZLES[0]), roster=known))
    assert [row.rpartition(",")[2] for row in found.data.decode().splitlines()[2:]] == ["", ""]
    assert "2 rows of Canvas's export fit Wei Zhang: enter these points by hand." in found.told
    surer = fill(tmp_path, text, book(outcome("w2", PUZZLES[0]), roster=(Student("w2", "Wei Zhang"),)))
    assert [row.rpartition(",")[2] for row in surer.data.decode().splitlines()[2:]] == ["", "5.00"]


def test_first_and_last_names_in_columns_of_their_own(tmp_path: Path) -> None:
    text = "LastName,FirstName,ID,Section,Vector add\n    Points Possible,,,,5\nHopper,Grace,7,A,\n"
    found = fill(tmp_path, text, book(outcome("gh", PUZZLES[0]), roster=(Student("gh", "Grace Hopper"),)))
    assert cells(found, 2) == ["Hopper", "Grace", "7", "A", "5.00"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("name,points\nada,5\n", "its columns begin with 'name', 'points'"),
        (f"{HEAD},A\nLovelace,1,l,A,5\n", "it has no row 'Points Possible'"),
        (f"{HEAD},A\n    Points Possible,,,,5\nLovelace,1\n", "row 3 has 2 cells, the header 5"),
        (f"{HEAD}\n\"Love\xe9".encode("latin-1").decode("latin-1"), "it has no row"),
    ],
)  # fmt: skip
def test_another_file_is_refused_with_what_is_wrong(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(FrontError) as caught:
        fill(tmp_path, text, book())
    assert why in caught.value.message or "row 2 has" in caught.value.message
    assert caught.value.next_step is not None


def test_a_file_that_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "export.csv").write_bytes(b"Student\xff,ID")
    for name, why in (("export.csv", "no CSV in UTF-8"), ("none.csv", "cannot be read")):
        with pytest.raises(FrontError, match=why):
            read_export(tmp_path / name)
