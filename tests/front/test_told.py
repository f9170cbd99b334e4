"""`dev told`: what a report says first of wrong kernels, at any width and as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.front.conftest import Run, environment
from tests.packs.conftest import FIXTURE
from tests.program import run_here

KERNEL = '"""Says no code yet."""\n# verdict: {}\n' + "x = 1\n" * 40


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three files of puzzle 1: one that fails, one that passes, one that says what no terminal should obey."""
    folder = tmp_path / "kernels/p01_softmax/wrong"
    folder.mkdir(parents=True)
    for name, word in (("not_rescaled", "fail"), ("survivor", "pass"), ("odd", "hostile")):
        (folder / f"{name}.py").write_text(KERNEL.format(word))
    return tmp_path / "kernels"


def test_the_place_and_the_code_stand_above_the_message(run: Run, corpus: Path) -> None:
    done = run("dev", "told", "1", "--jobs", "1", "--corpus", str(corpus))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "p01_softmax/not_rescaled:3  sum-not-rescaled"
    assert lines[1].startswith("  Your sum is not rescaled")
    assert "p01_softmax/survivor  pass" in lines
    assert "\x1b" not in done.stdout


def test_a_narrow_terminal(run: Run, corpus: Path) -> None:
    words = ("dev", "told", "1", "--jobs", "1", "--corpus", str(corpus))
    wide, narrow = run(*words, COLUMNS="100").stdout, run(*words, COLUMNS="32").stdout
    assert max(map(len, narrow.splitlines())) <= 32
    assert sorted("".join(narrow.split())) == sorted("".join(wide.split()))


def test_the_json(run: Run, corpus: Path) -> None:
    data = json.loads(run("dev", "told", "--jobs", "1", "--corpus", str(corpus), "--json").stdout)
    assert (data["version"], data["seed"]) == (1, 1)
    first, _, last = data["told"]
    assert {key: first[key] for key in ("puzzle", "code", "line", "at")} == {
        "puzzle": 1,
        "code": "sum-not-rescaled",
        "line": 3,
        "at": "x = 1",
    }
    assert first["file"].endswith("not_rescaled.py")
    assert first["says"].endswith(".")
    assert (last["code"], last["line"], last["says"]) == ("pass", None, "")


def test_a_folder_that_is_not_there(run: Run) -> None:
    done = run("dev", "told", "1", "--corpus", "nowhere")
    assert (done.returncode, "There is no folder nowhere." in done.stderr) == (2, True)


@pytest.mark.slow
def test_several_at_once_are_told_in_order(tmp_path: Path) -> None:
    pack = Path(shutil.copytree(FIXTURE, tmp_path / "pack"))
    wrong = pack / "mutants/p01_square/wrong"
    wrong.mkdir(parents=True)
    solution = (pack / "solutions/p01_square.py").read_text()
    for name, kernel in (("a_takes_longer", solution), ("b_is_no_python", "x = (")):
        (wrong / f"{name}.py").write_text(kernel)
    words = ("--pack", str(pack), "dev", "told", "1", "--jobs", "2", "--json")
    done = run_here(words, pack, environment(TRITONPUZZLES_PACK=""))
    told = [(Path(one["file"]).stem, one["code"]) for one in json.loads(done.stdout)["told"]]
    assert told == [("a_takes_longer", "pass"), ("b_is_no_python", "syntax-error")]


def test_a_pack_without_wrong_kernels(run: Run, tmp_path: Path) -> None:
    done = run("dev", "told", "1", TRITONPUZZLES_PACK=str(FIXTURE))
    assert done.stdout.startswith("There are no wrong kernels yet: they belong into")
    assert " ".join(done.stdout.split()).endswith("mutants/p01_square/wrong.")
