"""Cases too large to be sent: drawn by the engine, looked at by rows. Here on the CPU, where they are small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge import inputs, truth
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.judge.truth import with_rows
from tritonpuzzles.results.check import PuzzleResult, Verdict

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "DRAWING_DEVICES", ("cpu",))
    monkeypatch.setattr(inputs, "SENT_BYTES", 0)
    monkeypatch.setattr(truth, "SAMPLE_BYTES", 0)
    monkeypatch.setattr(truth, "FEWEST_ROWS", 5)


@pytest.fixture(scope="module")
def puzzle() -> Puzzle:
    whole = load_curriculum().find("3")
    layouts = {case.layout: case for case in reversed(whole.cases) if "cpu" in case.devices and not case.phantom}
    cases = [replace(case, shape=(40, 700)) for case in layouts.values() if case.layout in ("contiguous", "padded")]
    assert len(cases) == 2
    return replace(whole, cases=tuple(cases))


def checked(puzzle: Puzzle, folder: Path, *changes: tuple[str, str]) -> PuzzleResult:
    text = (ROOT / "solutions" / f"{puzzle.stem}.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / f"{puzzle.stem}.py"
    file.write_text(text)
    return check([(puzzle, file)], CheckOptions(device="cpu", seed=1)).results[0]


def test_nothing_is_drawn_here_until_rows_are_asked_for(puzzle: Puzzle) -> None:
    for drawn in draw(puzzle, 1, "cpu"):
        assert drawn.drawing is not None
        assert not drawn.golden
        assert all(layout.storage.is_meta for layout in drawn.inputs)
        known, (tolerance,) = with_rows(puzzle, drawn, (0, 7, 39), "here")
        assert known.golden[0].shape == (3, 700)
        assert float(known.golden[0].sum()) == pytest.approx(3.0)
        assert tolerance.relative < 1e-3
        assert (known.rows, known.shape) == ((0, 7, 39), (40, 700))


def test_a_right_kernel_passes(puzzle: Puzzle, tmp_path: Path) -> None:
    result = checked(puzzle, tmp_path)
    assert result.verdict is Verdict.PASS, result.findings
    assert {case.shape for case in result.cases} == {(40, 700)}


def test_a_wrong_one_fails_with_the_numbers_of_its_rows(puzzle: Puzzle, tmp_path: Path) -> None:
    result = checked(puzzle, tmp_path, ("tl.exp(x - m) / l", "tl.exp(x - m) / (l + 1)"))
    assert result.verdict is Verdict.FAIL
    for case in result.cases:
        assert case.mismatch is not None
        assert case.mismatch.total == 5 * 700
        assert case.mismatch.first[0] < 40


def test_the_last_row_is_always_looked_at(puzzle: Puzzle, tmp_path: Path) -> None:
    result = checked(puzzle, tmp_path, ("tl.exp(x - m) / l", "tl.where(row < 39, tl.exp(x - m) / l, 0.5)"))
    assert result.verdict is Verdict.FAIL
    assert {case.mismatch.first for case in result.cases if case.mismatch} == {(39, 0)}


def test_the_form_of_the_whole_counts(puzzle: Puzzle, tmp_path: Path) -> None:
    result = checked(puzzle, tmp_path, ("    return y\n", "    return y[:30]\n"))
    assert result.verdict is Verdict.FAIL
    assert {finding.code for finding in result.findings} >= {"wrong-shape"}
