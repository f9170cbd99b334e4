"""`check --case --values`: one case alone, and the numbers of one row."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.program import run_here
from tritonpuzzles.judge.verdict.divergence import row

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ONLINE, ATTENTION = "p03_online_softmax.py", "p05_flash_attention.py"
CPU = ("--device", "cpu", "--seed", "3")
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "puzzles", tmp_path / "puzzles")
    return tmp_path


def solve(course: Path, name: str, old: str = "", new: str = "") -> None:
    text = (ROOT / "solutions" / name).read_text(encoding="utf-8")
    assert old in text
    (course / "puzzles" / name).write_text(text.replace(old, new) if old else text, encoding="utf-8")


def result(course: Path, *words: str) -> dict[str, Any]:
    done = run_here(("check", *words, *CPU, "--json"), course, ENVIRONMENT)
    found: dict[str, Any] = json.loads(done.stdout)["results"][0]
    return found


def test_the_sum_that_is_not_rescaled_is_right_in_the_first_turn_alone(course: Path) -> None:
    solve(course, ONLINE, "l * alpha", "l")
    found = result(course, "3", "--case", "Late maximum", "--values")
    states = found["states"]
    assert [case["name"] for case in found["cases"]] == ["late maximum"]
    assert (states["case"], states["output"], states["row_word"]) == ("late maximum", "y", "row")
    assert not any(element["right"] for element in states["elements"])
    right: dict[str, list[bool]] = {}
    for one in states["variables"]:
        right.setdefault(one["name"], []).append(one["right"])
    assert right["l"][0]
    assert not any(right["l"][1:])
    assert len(right["l"]) > 1
    assert all(right["m_new"] + right["m"] + right["alpha"])


def test_a_sum_that_is_nan_throughout_stands_beside_what_it_would_be(course: Path) -> None:
    solve(course, ONLINE, "tl.exp(m - m_new)", "tl.sqrt(-1.0 - m_new * m_new)")
    states = result(course, "3", "--case", "ordinary numbers", "--values")["states"]
    sums = [one for one in states["variables"] if one["quantity"] == "the running sum"]
    assert {(one["name"], one["got"], one["right"]) for one in sums} == {("l", "nan", False)}
    assert all(one["expected"] > 0 for one in sums)


def test_nothing_is_compared_where_nan_is_right(course: Path) -> None:
    solve(course, ONLINE, "    l = 0.0", "    l = 1.0")
    states = result(course, "3", "--case", "rows of minus infinity", "--values")["states"]
    assert {element["expected"] for element in states["elements"]} == {"nan"}
    assert states["variables"] == []
    assert states["note"].startswith("NaN is right in this row")


def test_the_terminal_shows_the_turns_that_tell(course: Path) -> None:
    solve(course, ONLINE, "l * alpha", "l")
    words = ("check", "3", "--case", "late maximum", "--values", *CPU)
    said, whole = (run_here((*words, *more), course, ENVIRONMENT).stdout for more in ((), ("--verbose",)))
    assert 'Values  row 0 of y in "late maximum"' in said
    assert "the running sum" in said
    assert "✗  [0, 0]" in said
    assert whole.count("the running sum") >= said.count("the running sum")


def test_a_right_kernel_s_numbers_are_all_right(course: Path) -> None:
    solve(course, ATTENTION)
    states = result(course, "5", "--case", "tail of one key, float32", "--values")["states"]
    held = {one["quantity"] for one in states["variables"]}
    assert {"the running maximum", "the running sum", "the accumulator, one element"} <= held
    assert all(one["right"] for one in [*states["elements"], *states["variables"]])


def test_without_a_case_the_one_that_the_report_speaks_of_is_shown(course: Path) -> None:
    solve(course, ONLINE, "l * alpha", "l")
    found = result(course, "3", "--values")
    assert found["states"]["case"] == found["findings"][0]["case"]
    assert not all(one["right"] for one in found["states"]["variables"])


def test_where_all_is_right_a_small_case_is_shown(course: Path) -> None:
    solve(course, ONLINE)
    states = result(course, "3", "--values")["states"]
    assert {one["quantity"] for one in states["variables"]} >= {"the running maximum", "the running sum"}
    assert all(one["right"] for one in [*states["elements"], *states["variables"]])


def test_a_vector_has_no_variables_and_its_elements_stand_beside_what_is_right(course: Path) -> None:
    solve(course, "p00_vector_add.py", "x + y", "x - y")
    states = result(course, "0", "--case", "one element", "--values")["states"]
    (element,) = states["elements"]
    assert element["index"] == [0]
    assert not element["right"]
    assert states["variables"] == []


def test_a_case_that_passes_alone_solves_nothing(course: Path) -> None:
    solve(course, ONLINE)
    done = run_here(("check", "3", "--case", "two columns", *CPU), course, ENVIRONMENT)
    assert done.returncode == 0
    assert "1 of 1 pass" in done.stdout
    assert "★" not in done.stdout
    assert "tritonpuzzles check 3 runs every case" in done.stdout
    assert not (course / ".tritonpuzzles" / "progress.json").exists()
    listed = json.loads(run_here(("list", "--json"), course, ENVIRONMENT).stdout)
    assert {puzzle["state"] for puzzle in listed["puzzles"]} == {"open"}


def test_a_hint_answers_the_case_that_was_run_alone(course: Path) -> None:
    """Nothing else of such a check is remembered; a case that passes leaves what another one said."""
    solve(course, ONLINE, "l * alpha", "l")
    for case in ("late maximum", "two columns"):
        done = run_here(("check", "3", "--case", case, *CPU), course, ENVIRONMENT)
        assert ("sum is not rescaled" in done.stdout) == (case == "late maximum")
    shown = run_here(("hint", "3"), course, ENVIRONMENT).stdout
    assert "What your last check found (line 81)" in shown
    (row,) = [
        row
        for row in json.loads(run_here(("list", "--json"), course, ENVIRONMENT).stdout)["puzzles"]
        if row["puzzle"] == 3
    ]
    assert (row["state"], row["attempts"], row["verdict"]) == ("open", 0, None)


def test_a_fault_of_ours_in_looking_closer_changes_no_verdict(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(course, ONLINE)
    monkeypatch.setattr(row, "row_states", lambda *_: 1 / 0)
    found = result(course, "3", "--case", "two columns", "--values")
    assert (found["verdict"], found["states"]) == ("pass", None)


def test_a_second_call_brings_the_first(course: Path) -> None:
    solve(course, ONLINE)
    found = result(course, "3", "--case", "the same call again")
    assert [case["name"] for case in found["cases"]] == ["ordinary numbers", "the same call again"]
    assert found["states"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("3", "--case", "late maxima"), "Did you mean 'late maximum'?"),
        (("3", "--case", "full size"), "does not run with --device cpu"),
        (("1-3", "--case", "late maximum"), "--case goes with one puzzle, not 3."),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(words: tuple[str, ...], said: str, course: Path) -> None:
    done = run_here(("check", *words, *CPU), course, ENVIRONMENT)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""
