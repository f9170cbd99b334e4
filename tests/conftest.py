"""Shared by all tests: the fixture curriculum and a way to check a piece of source."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.reading import load_puzzle
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import PuzzleResult

os.environ.pop("PYTHONUNBUFFERED", None)  # a convenience of this machine's would hide what buffering loses

FIXTURE = Path(__file__).parent / "fixture"
Check = Callable[..., PuzzleResult]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture(scope="session")
def square() -> Puzzle:
    """The fixture curriculum's puzzle: y = x * x."""
    return load_puzzle(FIXTURE / "records" / "p01_square.toml", FIXTURE / "hints" / "p01_square.md")


@pytest.fixture
def square_source() -> str:
    """Source of its solution."""
    return (FIXTURE / "solutions" / "p01_square.py").read_text()


@pytest.fixture
def check_source(square: Puzzle, tmp_path: Path) -> Check:
    """Return a function that checks source text, or bytes, against the fixture puzzle on the CPU."""
    from tritonpuzzles.judge.check import check
    from tritonpuzzles.judge.options import CheckOptions

    def run(source: str | bytes, name: str = "p01_square.py", **options: object) -> PuzzleResult:
        path = tmp_path / name
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        asked = CheckOptions(**{"device": "cpu", "seed": 3, **options})  # type: ignore[arg-type]
        return check([(square, path)], asked).results[0]

    return run
