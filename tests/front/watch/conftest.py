"""A workspace with two small puzzles, and files to save in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import FIXTURE

RIGHT = (FIXTURE / "solutions" / "p01_square.py").read_text()
STUB = (FIXTURE / "puzzles" / "p01_square.py").read_text()
WRONG = RIGHT.replace("x * x", "x + x")
ENDLESS = RIGHT.replace("    y = torch.empty_like(x)", "    while True:\n        pass")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A workspace of a pack with the square, and a second puzzle that asks for the same."""
    pack = tmp_path / "pack"
    shutil.copytree(FIXTURE, pack)
    for folder in ("hints", "records", "solutions", "puzzles"):
        (first,) = (pack / folder).iterdir()
        text = first.read_text().replace("number = 1", "number = 2").replace('"Square"', '"Second square"')
        text = text.replace('slug = "square"', 'slug = "second"')
        (pack / folder / first.name.replace("p01_square", "p02_second")).write_text(text)
    (pack / "curriculum.toml").write_text('format = 1\ntitle = "Two squares"\npuzzles = ["p01_square", "p02_second"]\n')
    place = tmp_path / "course"
    shutil.copytree(pack / "puzzles", place / "puzzles")
    (place / "tritonpuzzles.toml").write_text(f'pack = "{pack}"\n')
    return place


@pytest.fixture
def first(course: Path) -> Path:
    """The file of the first puzzle."""
    return course / "puzzles" / "p01_square.py"


def progress(course: Path) -> dict[str, dict[str, object]]:
    entries: dict[str, dict[str, object]] = json.loads((course / ".tritonpuzzles/state.json").read_text())["puzzles"]
    return entries


def save(file: Path, text: str) -> None:
    """Save as many editors do: another file takes the old one's place, so that no part of one is ever seen."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text)
    new.replace(file)
