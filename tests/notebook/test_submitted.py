"""A notebook that was handed in: its solve cell is found, graded like a file, and written to one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.notebook.conftest import PUZZLES, ROOT, run
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.builder import build
from tritonpuzzles.front.notebook.submitted import cell_for, solve_cells

SOLUTIONS = build(ROOT / "solutions")
CODE = {"cell_type": "code", "metadata": {}, "outputs": []}


def homework(folder: Path, *cells: Any) -> Path:
    path = folder / "homework.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    return path


def solve(source: Any) -> dict[str, Any]:
    return {**CODE, "source": source}


def test_solutions_go_into_notebooks_and_come_back(tmp_path: Path) -> None:
    done = run("notebook", "build", "--solutions", str(ROOT / "solutions"), "--output", "solved", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{len(PUZZLES) + 1} notebooks written to solved." in done.stdout
    for puzzle in PUZZLES:
        back = run("notebook", "extract", f"solved/{puzzle.stem}.ipynb", cwd=tmp_path)
        assert back.stdout == (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()


@pytest.mark.slow
def test_a_notebook_is_graded_like_a_file(tmp_path: Path) -> None:
    path = tmp_path / "homework.ipynb"
    path.write_bytes(SOLUTIONS["p03_online_softmax.ipynb"].replace(b"l * alpha + tl.sum", b"l + tl.sum"))
    done = run("check", "3", "--file", str(path), "--device", "cpu", "--seed", "1", "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    assert result["verdict"] == "fail"
    assert result["file"] == str(path / "p03_online_softmax.py")
    (found,) = (finding for finding in result["findings"] if finding["code"] == "sum-not-rescaled")
    cell = cell_for(path, next(puzzle for puzzle in PUZZLES if puzzle.number == 3))
    assert "l = l + tl.sum" in cell.as_file.splitlines()[found["line"] - 1]
    assert "/tritonpuzzles-" not in done.stdout  # the folder that the cell lay in for as long as the command lived
    text = run("check", "3", "--file", str(path), "--device", "cpu", "--seed", "1", cwd=tmp_path).stdout
    assert f"\n    homework.ipynb/p03_online_softmax.py:{found['line']}\n" in text


def test_a_notebook_without_the_cell_says_so(tmp_path: Path) -> None:
    path = homework(tmp_path, solve("%%puzzle 1\nx = 1"), solve("print(1)"), {"cell_type": "markdown", "source": "a"})
    done = run("check", "3", "--file", str(path), cwd=tmp_path)
    assert done.returncode == 2
    assert "has no cell that begins with %%puzzle 3, only cells for 1." in done.stderr
    assert "Traceback" not in done.stderr
    empty = run("notebook", "extract", str(homework(tmp_path)), "3", cwd=tmp_path)
    assert "and none for another puzzle." in empty.stderr
    several = homework(tmp_path, solve("%%puzzle 1\nx"), solve("%%puzzle 2\nx"))
    assert "cells for the puzzles 1, 2" in run("notebook", "extract", str(several), cwd=tmp_path).stderr


def test_the_last_cell_counts(tmp_path: Path, online: Puzzle) -> None:
    first, last = solve("%%puzzle 3\na = 1"), solve(["\n", "%%puzzle --seed 1 online_softmax\n", "a = 2\n"])
    cell = cell_for(homework(tmp_path, first, last), online)
    assert cell.code == "a = 2\n"
    assert cell.as_file == "# %%puzzle 3\na = 2\n"


@pytest.mark.parametrize(
    "source",
    [
        "# %%puzzle 3\nx", "%puzzle 3\nx", "%%puzzle\nx", "%%puzzle 99\nx", "%%puzzle 3 4\nx", "%%puzzle '3\nx", "",
        "%%puzzle 3 --no-such-option\nx", "%%puzzle --help\nx", "%%puzzles 3\nx", 3, None, ["%%puzzle 3", 4],
    ],
)  # fmt: skip
def test_other_cells_are_no_solve_cells(source: object, tmp_path: Path) -> None:
    assert solve_cells(homework(tmp_path, solve(source), "no cell", None)) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"not json", "is not a notebook"),
        (b"[" * 100_000, "is not a notebook"),
        (b"\xff\xfe\x00", "is not a notebook"),
        (b"[]", "it has no cells"),
        (b'{"worksheets": []}', "it has no cells"),
        (b'{"cells": 3}', "it has no cells"),
    ],
)
def test_what_is_no_notebook_is_a_sentence(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "homework.ipynb"
    path.write_bytes(data)
    with pytest.raises(FrontError, match=words):
        solve_cells(path)


def test_a_missing_notebook_and_a_huge_one(tmp_path: Path) -> None:
    with pytest.raises(FrontError, match="cannot be read"):
        solve_cells(tmp_path / "none.ipynb")
    with (tmp_path / "huge.ipynb").open("wb") as stream:
        stream.truncate(65 << 20)
    with pytest.raises(FrontError, match="more than 64 MiB"):
        solve_cells(tmp_path / "huge.ipynb")


def test_extract_never_writes_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "p01_softmax.ipynb").write_bytes(SOLUTIONS["p01_softmax.ipynb"])
    words = ("notebook", "extract", "p01_softmax.ipynb", "--output", "p01.py")
    assert run(*words, cwd=tmp_path).returncode == 0
    written = (tmp_path / "p01.py").read_bytes()
    assert written == (ROOT / "solutions" / "p01_softmax.py").read_bytes()
    again = run(*words, cwd=tmp_path)
    assert again.returncode == 2
    assert "p01.py is there already" in again.stderr


def test_a_notebook_by_name_is_not_taken_for_the_file(tmp_path: Path) -> None:
    run("init", "course", cwd=tmp_path)
    done = run("check", "notebooks/p03_online_softmax.ipynb", cwd=tmp_path / "course")
    assert done.returncode == 2
    assert "--file notebooks/p03_online_softmax.ipynb" in done.stderr


@pytest.mark.slow
def test_a_folder_may_hold_notebooks(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "p03_online_softmax.ipynb").write_bytes(SOLUTIONS["p03_online_softmax.ipynb"])
    done = run("check", "3", "--solutions", "class", "--device", "cpu", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
