"""A file is known by everything that its result depends on, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.front.classroom.grading import planned as module
from tritonpuzzles.front.classroom.grading.planned import Keys

PUZZLE = load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md", FIXTURE)
KEYS = Keys(1, 20.0, ("cpu",))


@pytest.mark.parametrize(
    "other", [replace(KEYS, seed=2), replace(KEYS, deadline=21.0), replace(KEYS, devices=("cpu", "cuda"))]
)
def test_another_seed_deadline_or_device_is_another_key(other: Keys) -> None:
    assert other.of(PUZZLE, "a") != KEYS.of(PUZZLE, "a")


def test_the_same_is_the_same_key_and_another_file_or_puzzle_another() -> None:
    assert KEYS.of(PUZZLE, "a") == Keys(1, 20.0, ("cpu",)).of(PUZZLE, "a")
    assert KEYS.of(PUZZLE, "a") != KEYS.of(PUZZLE, "b")
    assert KEYS.of(PUZZLE, "a") != KEYS.of(replace(PUZZLE, slug="cube"), "a")
    more = replace(PUZZLE, cases=(*PUZZLE.cases, replace(PUZZLE.cases[0], name="more", hidden=True)))
    assert KEYS.of(PUZZLE, "a") != KEYS.of(more, "a")


def test_the_grader_counts_and_its_pages_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("judge/check.py", "front/page.py", "judge/notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one")
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    before = Keys(1, 20.0, ("cpu",)).of(PUZZLE, "a")
    (tmp_path / "front/page.py").write_text("two")
    assert Keys(1, 20.0, ("cpu",)).of(PUZZLE, "a") == before
    (tmp_path / "judge/check.py").write_text("two")
    assert Keys(1, 20.0, ("cpu",)).of(PUZZLE, "a") != before


def test_a_puzzles_record_counts(tmp_path: Path) -> None:
    for folder in ("records", "hints", "mutants"):
        (tmp_path / folder).mkdir()
    record = tmp_path / "records/p01_square.toml"
    record.write_text("one")
    puzzle = replace(PUZZLE, folder=tmp_path)
    before = KEYS.of(puzzle, "a")
    (tmp_path / "mutants/wrong.py").write_text("two")
    assert KEYS.of(puzzle, "a") == before
    record.write_text("two")
    assert KEYS.of(puzzle, "a") != before
