"""All files of a run: written together, the same from the same data, and none lost by what is wrong with another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.classroom.made_class import PUZZLES, a_class, outcome
from tests.classroom.test_canvas import GOLDEN, HEAD
from tritonpuzzles.front.classroom.model import Submitted
from tritonpuzzles.front.classroom.results.outputs import write_outputs
from tritonpuzzles.front.errors import FrontError

ROOT = Path(__file__).parents[2]


def contents(paths: list[Path], out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def test_every_file_is_written_and_nothing_else(tmp_path: Path) -> None:
    out, said = tmp_path / "out", list[str]()
    paths = write_outputs(out, *a_class(), GOLDEN / "canvas_export.csv", said.append)
    names = set(contents(paths, out))
    assert {"grades.csv", "canvas.csv", "junit.xml", "class.html"} < names
    assert len([name for name in names if name.startswith("feedback/")]) == 41
    assert {path for path in out.rglob("*") if path.is_file()} == set(paths)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert any("not in the export" in sentence for sentence in said)


def test_the_same_run_makes_the_same_files_in_whichever_order_its_outcomes_came(tmp_path: Path) -> None:
    settings, intake, outcomes = a_class()
    once = contents(write_outputs(tmp_path / "a", settings, intake, outcomes), tmp_path / "a")
    again = contents(write_outputs(tmp_path / "b", settings, intake, outcomes[::-1]), tmp_path / "b")
    assert once == again
    assert once == contents(write_outputs(tmp_path / "a", settings, intake, outcomes), tmp_path / "a")


def test_an_export_of_another_form_costs_no_other_file(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text(f"{HEAD}\nLovelace,1,l,A\n")
    with pytest.raises(FrontError, match="no row 'Points Possible'"):
        write_outputs(tmp_path / "out", *a_class(), export)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"grades.csv", "junit.xml", "class.html", "feedback"}
    assert "has no row" in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(FrontError, match="cannot be written"):
        write_outputs(tmp_path / "out", *a_class())


def test_copies_are_found_in_the_files_themselves(tmp_path: Path) -> None:
    settings, intake, _ = a_class()
    solution = ROOT / "solutions" / f"{PUZZLES[3].stem}.py"
    files = tuple(Submitted(student, PUZZLES[3], solution, f"{student}/x.py", "by its name") for student in ("a", "b"))
    gone = Submitted("c", PUZZLES[3], tmp_path / "gone.ipynb", "c/gone.ipynb", "by its name")
    outcomes = [outcome(student, PUZZLES[3], file=f"{student}/x.py") for student in ("a", "b", "c")]
    write_outputs(tmp_path, settings, replace(intake, files=(*files, gone)), outcomes)
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert page.count("Like the shipped solution: all 17 statements that the stub does not have are equal") == 4
    assert "Like the shipped" not in (tmp_path / "feedback" / "a.html").read_text(encoding="utf-8")
