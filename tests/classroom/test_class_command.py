"""`tritonpuzzles class` as it is typed: what it prints, its exit codes, an interrupt, shards and their merge."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.classroom.test_running import HOST, RIGHT, STUB, hand_in, lines, slow, until
from tests.conftest import FIXTURE

pytestmark = pytest.mark.slow

pytest.importorskip("tritonpuzzles.front.classroom.intake.take_in")
pytest.importorskip("tritonpuzzles.front.classroom.results.outputs")
ROOT = Path(__file__).parents[2]


def start(*words: str | Path) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "TRITONPUZZLES_PACK": str(FIXTURE),
        "PYTHONPATH": str(ROOT / "grader"),
        "COLUMNS": "100",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tritonpuzzles", "class", *map(str, words)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A suite that a shell has started in the background ignores interrupts, and so would the program.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def done(*words: str | Path, code: int = 0) -> tuple[str, str]:
    process = start(*words)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    return out, err


def test_a_class_is_graded_and_its_tables_are_written(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "homework", {"ada": RIGHT, "bob": STUB, "cem": RIGHT.replace("x * x", "x")})
    out, err = done("grade", folder, "--device", "cpu", "--jobs", "2")
    assert "p01 square" in out
    assert "1 pass, 1 fail, 1 unsolved" in out
    assert "3 of 3 graded" in err or "of 3 graded" in err
    place = tmp_path / "homework-graded"
    assert {"results.jsonl", "grades.csv", "class.html", "run.json"} <= {path.name for path in place.iterdir()}
    data = json.loads(done("grade", folder, "--device", "cpu", "--resume", "--json")[0])
    assert (data["files"], data["graded_now"]) == (3, 0)
    assert data["verdicts"] == {"p01 square": {"pass": 1, "fail": 1, "unsolved": 1}}


def test_results_do_not_lie_in_the_class(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": RIGHT})
    for out in (folder, folder / "results", folder / "ada/.."):
        assert "would lie in the folder of the class" in done("grade", folder, "--out", out, code=2)[1]
    assert sorted(path.name for path in folder.iterdir()) == ["ada"]
    assert "exclude each other" in done("grade", folder, "--resume", "--again", code=2)[1]
    assert "is no part of a class" in done("grade", folder, "--shard", "3/2", code=2)[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_all_and_says_how_to_go_on(tmp_path: Path, number: signal.Signals) -> None:
    endless = RIGHT.replace(HOST, HOST + "    while True: pass\n")
    folder = hand_in(tmp_path / "class", {"ada": RIGHT, "bob": endless})
    out = tmp_path / "class-graded"
    process = start("grade", folder, "--device", "cpu", "--jobs", "2")
    until(lambda: (out / "results.jsonl").exists() and b"ada" in (out / "results.jsonl").read_bytes())
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "what was graded until now is kept in" in err
    assert "Next: the same command goes on from there" in err
    assert lines(out)["ada"]["verdict"] == "pass"


def test_shards_of_one_folder_are_merged(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {f"student{number}": slow(number) for number in range(4)})
    out = tmp_path / "shared"
    counts = []
    for number in (1, 2):
        data = json.loads(done("grade", folder, "--out", out, "--device", "cpu", "--shard", f"{number}/2", "--json")[0])
        counts.append(data["files"])
        assert not (out / "grades.csv").exists()
        if number == 1:
            assert "have no result yet" in done("merge", tmp_path / "early", out, code=3)[1]
    assert sum(counts) == 4
    data = json.loads(done("merge", out, out, "--json")[0])
    assert data["verdicts"] == {"p01 square": {"pass": 4}}
    assert (out / "grades.csv").exists()
    assert len(lines(out)) == 4
    apart = json.loads(done("merge", tmp_path / "apart", out, "--json")[0])
    assert apart["verdicts"] == data["verdicts"]
    whole = json.loads(done("grade", folder, "--out", out, "--device", "cpu", "--json")[0])
    assert whole["graded_now"] == 0


def test_what_is_no_folder_of_results_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("empty").mkdir()
    assert "holds no results of a class" in done("merge", tmp_path / "out", tmp_path / "empty", code=2)[1]
