"""Parts of a class are the same on every machine, and together they are the class."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURE
from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.front.classroom.grading.planned import Shard
from tritonpuzzles.front.classroom.model import Submitted

PUZZLE = load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md")


@given(student=st.text(), of=st.integers(1, 50))
def test_every_file_is_in_one_shard(student: str, of: int) -> None:
    submitted = Submitted(student, PUZZLE, Path("x.py"), "x.py", "by its name")
    assert [Shard(number, of).has(submitted) for number in range(1, of + 1)].count(True) == 1


def test_a_shard_does_not_depend_on_names_of_files_or_on_the_machine() -> None:
    first, second = (Submitted("ada", PUZZLE, Path(name), name, "by its name") for name in ("a.py", "b.py"))
    assert [Shard(1, 7).has(first), Shard(4, 7).has(first)] == [Shard(1, 7).has(second), Shard(4, 7).has(second)]
    assert [number for number in range(1, 8) if Shard(number, 7).has(first)] == [4]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/3", ""])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no part of a class"):
        Shard.named(text)


def test_a_shard_has_a_file_of_its_own() -> None:
    assert Shard.named("2/8").file == "results-2-of-8.jsonl"
    assert Shard.named("1/1").file == "results.jsonl"
