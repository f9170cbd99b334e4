"""The reports that README and docs show are what the program prints."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.program import run_here

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.first, pytest.mark.slow]


@pytest.fixture(scope="module")
def captures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("captures", ROOT / "docs" / "captures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("page", "blocks"), [("README.md", 2), ("docs/reports.md", 6)])
def test_pages_show_what_the_commands_print(
    page: str, blocks: int, captures: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run `python docs/captures.py` after a change to a report."""

    def run(words: list[str], place: Path) -> str:
        done = run_here(tuple(words), place, {**os.environ, **captures.PLAIN})
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    monkeypatch.setattr(captures, "run", run)
    text = (ROOT / page).read_text(encoding="utf-8")
    assert ROOT / page in captures.PAGES
    assert len(captures.BLOCK.findall(text)) == blocks
    assert captures.brought_up_to_date(text) == text


SAID = """Cases 12 of 29 pass
    16,602 of 18,752 elements of o wrong: rows 0, 3, 4, whole.
    The first is [0, 740]: expected 0.0636, got nan.
  x_ptr  2.00x
p03.py:78 spills: loads 348 bytes of local memory beside the 255 registers, checked in 1.7 s
The system held the file: it could reach no network."""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("16,602", "16,603", True),
        ("rows 0, 3, 4, whole", "rows 0, 3, whole", True),
        ("[0, 740]: expected 0.0636, got nan", "[1, 2]: expected 1e-05, got -inf", True),
        ("348 bytes", "1,856 bytes", True),
        ("1.7 s", "61 s", True),
        ("The system held the file: it could reach no network.", "Nothing kept the file from it.", True),
        ("The system held the file: it could reach no network.", "", True),
        ("Cases 12", "Cases 13", False),
        ("18,752", "18,753", False),
        ("rows 0, 3, 4, whole", "all over", False),
        ("2.00x", "3.00x", False),
        (":78", ":79", False),
        ("local memory", "shared memory", False),
        ("spills", "is slow", False),
    ],
)
def test_only_what_is_measured_may_differ(old: str, new: str, same: bool, captures: ModuleType) -> None:
    assert old in SAID
    assert (captures.told(SAID) == captures.told(SAID.replace(old, new))) is same
