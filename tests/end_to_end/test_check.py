"""The program on the shipped curriculum, for the solutions in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import tritonpuzzles
from tests.program import run_here
from tritonpuzzles.curriculum.registry import load_curriculum

ROOT = Path(__file__).parents[2]
NUMBERS = [puzzle.number for puzzle in load_curriculum().puzzles]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "grader")}
pytestmark = [pytest.mark.first, pytest.mark.slow]


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `tritonpuzzles` with these words in this process."""
    return run_here(words, cwd, ENVIRONMENT)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh workspace as `init` makes it."""
    folder = tmp_path_factory.mktemp("learner") / "course"
    done = run("init", str(folder), cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_solution_passes(workspace: Path) -> None:
    command = [sys.executable, "-m", "tritonpuzzles", "check", "all", "--solution", "--device", "cpu", "--json"]
    done = subprocess.run(command, cwd=workspace, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert [(result["puzzle"], result["verdict"]) for result in report["results"]] == [(n, "pass") for n in NUMBERS]
    schema = json.loads((Path(tritonpuzzles.__file__).parent / "report.schema.json").read_text())
    jsonschema.validate(report, schema)
    by_number = {result["puzzle"]: result for result in report["results"]}
    traffic = {row["tensor"]: row for row in by_number[3]["traffic"]}
    assert (traffic["x"]["loaded_times"], traffic["y"]["stored_times"]) == (2.0, 1.0)
    attention = {row["tensor"]: row for row in by_number[5]["traffic"]}
    assert attention["q"]["loaded_times"] == 1.0


def test_every_stub_is_unsolved(workspace: Path) -> None:
    done = run("check", "all", "--device", "cpu", "--json", cwd=workspace)
    assert done.returncode == 1
    assert [result["verdict"] for result in json.loads(done.stdout)["results"]] == ["unsolved"] * len(NUMBERS)


def test_an_instructors_own_folder(workspace: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "solutions" / "p01_softmax.py", tmp_path)
    wrong = (ROOT / "solutions" / "p02_blocked_softmax.py").read_text().replace("tl.exp(x - m)", "tl.exp(x)")
    (tmp_path / "p02_blocked_softmax.py").write_text(wrong)
    done = run("check", "1", "2", "3", "--solutions", str(tmp_path), "--device", "cpu", "--json", cwd=workspace)
    assert done.returncode == 1
    results = json.loads(done.stdout)["results"]
    assert [result["verdict"] for result in results] == ["pass", "fail", "error"]
    assert results[2]["findings"][0]["code"] == "missing-file"


def test_swap_there_and_back(workspace: Path) -> None:
    mine = workspace / "puzzles" / "p03_online_softmax.py"
    before = mine.read_bytes() + b"# my own note\r\n"
    mine.write_bytes(before)
    assert run("swap", "3", cwd=workspace).returncode == 0
    assert mine.read_bytes() == (ROOT / "solutions" / "p03_online_softmax.py").read_bytes()
    assert run("check", "3", "--device", "cpu", cwd=workspace).returncode == 0
    assert run("swap", "3", cwd=workspace).returncode == 0
    assert mine.read_bytes() == before


def test_cuda_without_a_gpu_is_an_environment_fault(workspace: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    done = run("check", "1", "--device", "cuda", cwd=workspace)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "--device cpu" in done.stderr
