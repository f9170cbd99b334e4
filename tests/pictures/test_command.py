"""`trace --plot`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from tests.conftest import FIXTURE
from tests.front.conftest import Run

REAL = {"judge": False, "TRITONPUZZLES_PACK": str(FIXTURE)}


def test_a_picture_beside_the_ledger(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    done = run("trace", "1", "--solution", "--seed", "3", "--plot", str(picture), **REAL)
    assert (done.returncode, done.stderr) == (0, f"Written to {picture}.\n")
    assert "x_ptr read 1.00x" in done.stdout
    assert picture.read_text().startswith("<?xml")


def test_a_stub_leaves_nothing_to_draw(run: Run, tmp_path: Path) -> None:
    picture, stub = tmp_path / "picture.png", FIXTURE / "puzzles" / "p01_square.py"
    done = run("trace", "1", "--file", str(stub), "--json", "--plot", str(picture), **REAL)
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "unsolved"
    assert "There is no picture: no case reads or writes anything yet." in done.stderr
    assert not picture.exists()


def test_other_formats_are_refused_at_once(run: Run) -> None:
    done = run("trace", "1", "--solution", "--plot", "picture.jpg", judge=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "A picture is a .png or an .svg file, not picture.jpg." in done.stderr
