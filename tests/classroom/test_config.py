"""`class.toml` and rosters: what they say is what counts, and what is wrong in them has one sentence with its place."""

from __future__ import annotations

import contextlib
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.mutated import mutated
from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.classroom.intake.naming import Person
from tritonpuzzles.front.classroom.intake.roster import Known, read_roster
from tritonpuzzles.front.classroom.model import DEADLINE_SECONDS, ClassSettings, Late, Student
from tritonpuzzles.front.errors import ExitCode, FrontError

ROOT = Path(__file__).parents[2]
FULL = """
title = "Parallel programming"
roster = "roster.csv"
solutions = "right"
seed = 7
timeout = 12.5
due = 2026-12-01T23:59:00Z
[late]
percent_a_day = 10
days = 5
[[puzzles]]
name = "online_softmax"
points = 2
[[puzzles]]
name = 0
due = 2026-12-08T12:00:00+01:00
"""


@pytest.fixture(autouse=True)
def shipped_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACK_VARIABLE, "")


def of(text: str, tmp_path: Path) -> ClassSettings:
    (tmp_path / "class.toml").write_text(text, encoding="utf-8")
    return class_settings(None, tmp_path)


def test_without_a_file_every_puzzle_has_one_point(tmp_path: Path) -> None:
    found = class_settings(None, tmp_path)
    assert [(one.puzzle.number, one.points, one.due) for one in found.assigned] == [(n, 1.0, None) for n in range(9)]
    assert (found.roster, found.late, found.seed, found.deadline) == ((), Late(), None, DEADLINE_SECONDS)
    assert found.title == "From naive softmax to FlashAttention-2"


def test_everything_that_a_file_says(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada Lovelace\nbob,\n")
    (tmp_path / "right").mkdir()
    found = of(FULL, tmp_path)
    assert (found.title, found.seed, found.deadline) == ("Parallel programming", 7, 12.5)
    assert [(one.puzzle.number, one.points, one.due) for one in found.assigned] == [
        (0, 1.0, datetime(2026, 12, 8, 11, tzinfo=timezone.utc)),
        (3, 2.0, datetime(2026, 12, 1, 23, 59, tzinfo=timezone.utc)),
    ]
    assert found.late == Late(10, 5)
    assert found.roster == (Student("ada", "Ada Lovelace"), Student("bob", "bob"))
    assert found.solutions == tmp_path / "right"


def test_a_time_without_a_zone_is_local_and_a_day_lasts_to_its_end(tmp_path: Path) -> None:
    (one, two) = of(
        "[[puzzles]]\nname=1\ndue=2026-12-01T10:00:00\n[[puzzles]]\nname=2\ndue=2026-12-02", tmp_path
    ).assigned
    assert one.due == datetime(2026, 12, 1, 10).astimezone()
    assert two.due == datetime(2026, 12, 2, 23, 59, 59, 999_999).astimezone()


def test_a_pack_is_opened_from_the_files_folder_on(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(f'pack = "../{(ROOT / "tests/fixture").name}"\n')
    (tmp_path.parent / "fixture").symlink_to(ROOT / "tests" / "fixture")
    try:
        found = class_settings(tmp_path / "class.toml", tmp_path / "elsewhere")
    finally:
        (tmp_path.parent / "fixture").unlink()
    assert [one.puzzle.slug for one in found.assigned] == ["square"]


WRONG = {
    "seed = -1": "'seed' is -1, and may be 0 to 2,147,483,647",
    "seed = true": "'seed' is True; a whole number is expected",
    "timeout = 0": "'timeout' is 0, and may be 1 to 3,600",
    "timeuot = 5": "there is no key 'timeuot' here. Did you mean 'timeout'?",
    "title = 3": "'title' is 3; text is expected",
    'due = "2026-12-01"': "'due' is '2026-12-01'; a date without quotation marks is expected",
    "late = 10": "'late' is 10; a table is expected",
    "[late]\npercent_a_day = 120": "[late]: 'percent_a_day' is 120, and may be 0 to 100",
    "[[puzzles]]\npoints = 3": "puzzle 1: 'name' is missing",
    '[[puzzles]]\nname = "onlin_softmax"': "There is no puzzle 'onlin_softmax'. Did you mean online",
    "[[puzzles]]\nname = 3\npoints = -1": "puzzle 3: 'points' is -1, and may be 0 to 1,000,000",
    '[[puzzles]]\nname = 3\n[[puzzles]]\nname = "p03"': "puzzle 3 stands there twice; remove one",
    'pack = "nowhere"': "'pack': nowhere is no folder with a curriculum.toml",
    'solutions = "nowhere"': "'solutions' is 'nowhere', and",
    'roster = "nowhere.csv"': "nowhere.csv cannot be read: No such file or directory",
    "title = ": "Invalid value",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_has_one_sentence_with_its_place(text: str, tmp_path: Path) -> None:
    with pytest.raises(FrontError) as caught:
        of(text, tmp_path)
    assert WRONG[text] in caught.value.message
    assert caught.value.message.startswith(("class.toml", "The roster"))
    assert caught.value.message.endswith((".", "?"))
    assert caught.value.next_step
    assert caught.value.code is ExitCode.USAGE


def test_a_file_that_is_named_and_not_there(tmp_path: Path) -> None:
    with pytest.raises(FrontError, match=r"my\.toml: there is no such file"):
        class_settings(tmp_path / "my.toml", tmp_path)


DOCUMENT: dict[str, Any] = {
    "title": "t", "seed": 1, "timeout": 20.0, "due": datetime(2026, 12, 1), "late": {"percent_a_day": 10, "days": 5},
    "puzzles": [{"name": 3, "points": 2.0, "due": datetime(2026, 12, 1)}, {"name": "softmax"}],
}  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutated(DOCUMENT))
def test_any_document_is_understood_or_refused(document: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tritonpuzzles.curriculum.tables.read_toml", lambda path: document)
        with contextlib.suppress(FrontError):
            assert class_settings(Path("class.toml"), Path()).assigned


def roster(text: str | bytes, tmp_path: Path) -> list[tuple[str, str]]:
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [(one.id, one.name) for one in read_roster(path)]


CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,hw1 (123)
    Points Possible,,,,,10
"Lovelace, Ada",11,u1,ada@example.edu,A,
"Student, Test",99,,,A,
"""
ROSTERS = {
    "id,name\n ada , Ada Lovelace \n\nbob,\n": [("ada", "Ada Lovelace"), ("bob", "bob")],
    "ID;Name\r\nada;Lovelace, Ada\r\n": [("ada", "Lovelace, Ada")],
    'name,id\n"=1+1, <b>",x\n': [("x", "=1+1, <b>")],
    CANVAS: [("11", "Lovelace, Ada")],
    "First Name,Last Name,SID,Email,Role\nAda,Lovelace,,a@b.c,Student\nT,A,7,t@b.c,TA\n": [("a@b.c", "Ada Lovelace")],
    "identifier,github_username,github_id,name\njd@b.c,jane,1,Jane\n": [("jane", "Jane")],
    "First name,Surname,ID number,Email address\nAda,Lovelace,7,a@b.c\n": [("7", "Ada Lovelace")],
}


@pytest.mark.parametrize("text", ROSTERS)
def test_rosters_of_ours_and_of_other_systems(text: str, tmp_path: Path) -> None:
    assert roster(text, tmp_path) == ROSTERS[text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no column 'id': it is empty"),
        ("who,what\n1,2\n", "has no column 'id': its columns are 'who' and 'what'"),
        ("id,name\n", "names no student"),
        ("id,name\na,b\nc,d\na,e\n", "has the id 'a' twice, in lines 2 and 4"),
        (b"id,name\nj,J\xfcrgen\n", "is no CSV in UTF-8"),
        ("id,name\n" + "x" * 200_000 + ",y\n", "is no CSV in UTF-8: field larger than field limit"),
    ],
)
def test_a_roster_that_is_wrong_says_where(text: str | bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(FrontError, match=r"^The roster .*roster\.csv") as caught:
        roster(text, tmp_path)
    assert why in caught.value.message


@pytest.mark.parametrize(
    "name", ["ada", "ADA", "Ada Lovelace", "Lovelace, Ada", "lovelaceada", "ada-lovelace", "LovelaceAda"]
)
def test_a_student_is_known_by_any_spelling(name: str) -> None:
    known = Known((Student("ada", "Lovelace, Ada"), Student("alan", "Alan Turing")))
    assert known.id_of(Person(name)) == "ada"
    assert known.id_of(Person("someone")) == "someone"
