"""A mistake that NaN alone speaks for is not named where a variable shows another; tensors that are mixed up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.judge.slips import ROOT, first_finding
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.verdict.decide import not_run
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.codes import Severity

pytestmark = pytest.mark.slow

LOWEST = "-3.4028234663852886e38"


def test_a_start_that_a_variable_shows_is_told_in_place_of_a_name(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 3, (f"m = {LOWEST}", f"m = {LOWEST[1:]}"))
    assert finding.code == "wrong-values"
    assert line.strip() == f"m = {LOWEST[1:]}"
    assert "m begins with 3.403e+38" in finding.message
    assert "a maximum with the lowest number" in (finding.next_step or "")


def test_a_name_that_the_variables_do_not_contradict_stays(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 3, ("tl.exp(m - m_new)", "tl.exp(m_new - m)"))
    assert finding.code == "rescaled-the-wrong-way"
    assert "tl.exp(m_new - m)" in line


def test_a_store_that_several_programs_meet_at_is_the_line_of_their_mistake(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 0, ("(z_ptr + offsets, x + y", "(z_ptr + tl.arange(0, BLOCK_SIZE), x + y"))
    assert finding.code == "first-tile-only"
    assert "tl.store" in line


def test_tensors_that_a_launch_exchanges_are_told_with_it(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 0, ("[grid](x, y, z, n_elements,", "[grid](z, x, y, n_elements,"))
    assert finding.code == "input-modified"
    assert "passes it as z_ptr, which add_kernel stores to" in finding.message
    assert "[grid](z, x, y," in line


def test_a_size_under_the_name_of_another_is_told_with_the_argument(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 4, ("n_rows,\n        n_cols,", "n_cols,\n        n_rows,"))
    assert finding.code == "sizes-exchanged"
    assert finding.message.startswith("n_rows is ")
    assert line.strip() == "n_cols,"


def test_a_factor_that_no_kernel_needs_is_told_with_its_number(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 5, ("d**-0.5", "d**0.5"))
    assert (finding.code, finding.details["divergence"]["quantity"]) == ("wrong-values", "s")
    assert "holds the scores of the tile times 32" in finding.message
    assert "scale" in line


def test_of_two_gradients_the_wrong_ones_line_is_told(tmp_path: Path) -> None:
    finding, line = first_finding(tmp_path, 8, ("multiply(x.T, g, db", "multiply(x, g, db"))
    assert finding.code == "factor-not-transposed"
    assert "multiply(x, g, db" in line


def test_one_column_that_becomes_many_is_told_to_keep_its_shape(tmp_path: Path) -> None:
    puzzle = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.number == 4)
    text = (ROOT / "solutions" / "p04_tiled_softmax.py").read_text(encoding="utf-8")
    for old, new in (
        ("l = tl.zeros((BLOCK_ROWS,), tl.float32)", "l = tl.zeros((BLOCK_ROWS, 1), tl.float32)"),
        ("l = l * alpha +", "l = l * alpha[:, None] +"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / "square.py"
    path.write_text(text)
    (result,) = check([(puzzle, path)], CheckOptions(device="cpu", seed=1)).results
    steps = [finding.next_step or "" for finding in result.errors if finding.code == "compile-error"]
    assert any("keep_dims=True, or [:, None]" in step for step in steps), steps


def test_cases_that_were_not_run_are_noted() -> None:
    cases = [SimpleNamespace(name=name, case=SimpleNamespace(cached=name == "d")) for name in "abcd"]
    trial, evidence = SimpleNamespace(cases=cases), SimpleNamespace(left_out={1, 2, 3})
    (note,) = not_run(cast(Trial, trial), cast(Evidence, evidence))
    assert (note.code, note.severity) == ("cases-not-run", Severity.NOTE)
    assert note.message.startswith("2 cases were not run")
    assert '--case "b"' in (note.next_step or "")
    evidence.left_out = {3}
    assert not_run(cast(Trial, trial), cast(Evidence, evidence)) == []
