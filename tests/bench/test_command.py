"""`bench` as a command: without a GPU as it is, with one with a bencher that makes the speeds up."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.bench.fake_bencher import Bencher
from tests.front.conftest import Run, environment
from tests.program import run_here

ROOT = Path(__file__).parents[2]
REAL = {"judge": False, "TRITONPUZZLES_PACK": "", "CUDA_VISIBLE_DEVICES": ""}
Bench = Callable[..., CompletedProcess[str]]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A workspace with puzzle 3 solved, and the stubs of 1 and 5."""
    puzzles = tmp_path / "course" / "puzzles"
    puzzles.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "p03_online_softmax.py", puzzles)
    for name in (
        "p00_vector_add",
        "p01_softmax",
        "p02_blocked_softmax",
        "p04_tiled_softmax",
        "p05_flash_attention",
        "p06_persistent_softmax",
        "p07_matmul",
        "p08_matmul_autograd",
    ):
        shutil.copy(ROOT / "puzzles" / f"{name}.py", puzzles)
    return tmp_path / "course"


@pytest.fixture
def bench(course: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a function that runs `bench` with the made-up bencher."""
    monkeypatch.setattr("tritonpuzzles.judge.bench.bencher.Bencher", Bencher)
    monkeypatch.setattr("tritonpuzzles.judge.environment.choose_devices", lambda asked: ("cuda",))
    return lambda *arguments: run_here(("bench", *arguments), course, environment(TRITONPUZZLES_PACK=""))


def mine(course: Path) -> Path:
    return course / "puzzles" / "p03_online_softmax.py"


def test_without_a_gpu_it_says_what_is_needed_and_what_does_without(run: Run, tmp_path: Path) -> None:
    done = run("bench", "3", "--solution", cwd=tmp_path, **REAL)
    assert done.returncode == 3
    assert done.stdout == ""
    sentence, step = done.stderr.splitlines()
    assert "needs an NVIDIA GPU" in sentence
    assert "inspect predicts the bandwidth without one" in sentence
    assert step == "Next: tritonpuzzles inspect 3"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("3", "--plot", "p.pdf"), "not p.pdf"),
        (("3", "--plot", "no/where/p.png"), "There is no folder"),
        (("3", "--csv", "no/where/p.csv"), "There is no folder"),
        (("3", "--sizes", "1024,many"), "'1024,many' is not up to 32 whole numbers"),
        (("3", "--sizes", "0"), "from 1 to"),
        (("3", "--sizes", ""), "from 1 to"),
        (("3", "--sizes", ",".join(["8"] * 33)), "up to 32"),
        (("3", "--dtype", "float64"), "'float32', 'float16', 'bfloat16'"),
        (("3", "--ladder"), "--ladder takes all puzzles"),
        (("--ladder", "--sizes", "8"), "--ladder takes all puzzles"),
        (("1-3", "--solution"), "takes one puzzle, not 3"),
        (("sofmax", "--solution"), "Did you mean softmax?"),
        (("3", "--solution", "--file", "x.py"), "exclude each other"),
        (("3", "--timeout", "nan"), "not a number of seconds"),
        (("3",), "tritonpuzzles init"),
    ],
)
def test_requests_that_make_no_sense_cost_no_time(
    arguments: tuple[str, ...], words: str, run: Run, tmp_path: Path
) -> None:
    done = run("bench", *arguments, cwd=tmp_path, **REAL)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_pack_without_benches_has_no_ladder(run: Run, tmp_path: Path) -> None:
    done = run("--pack", str(ROOT / "tests/fixture"), "bench", "--ladder", "--solution", cwd=tmp_path, **REAL)
    assert (done.returncode, done.stdout) == (2, "")
    assert "No puzzle of this pack is timed at several sizes." in done.stderr


def test_table_sentences_files_and_progress(bench: Bench, course: Path) -> None:
    done = bench("3", "--sizes", "512,4096", "--csv", "t.csv", "--plot", "t.png")
    assert done.returncode == 0, done.stderr
    assert "yours  solution  tuned" in done.stdout
    assert "At n_cols = 4,096, yours runs at 1.00x solution" in done.stdout
    assert done.stderr == "p03 online_softmax: half of it\nWritten to t.png.\nWritten to t.csv.\n"
    assert len((course / "t.csv").read_text().splitlines()) == 1 + 4 * 2
    assert (course / "t.png").read_bytes().startswith(b"\x89PNG")


def test_the_learners_best_is_kept_and_only_rises(bench: Bench, course: Path) -> None:
    state = course / ".tritonpuzzles" / "state.json"
    source = mine(course).read_text()
    assert "best before" not in " ".join(bench("3", "--sizes", "4096").stdout.split())
    for factor, words in (("1.5", "+50.0 %"), ("0.5", "-66.7 %"), ("1.5", "+0.0 %")):
        mine(course).write_text(f"{source}\n# speed: {factor}\n")
        assert words in " ".join(bench("3", "--sizes", "4096").stdout.split())
    (kept,) = json.loads(state.read_text())["puzzles"]["online_softmax"]["speeds"]
    assert kept == {"device": "NVIDIA H200", "dtype": "float32", "shape": [4096, 4096], "rate": 3000.0}
    mine(course).write_text(f"{source}\n# wrong\n")
    before = state.read_text()
    wrong = bench("3", "--sizes", "4096")
    assert wrong.returncode == 1
    assert "yours: The result is wrong" in wrong.stdout
    assert wrong.stdout.rstrip().endswith("Next: tritonpuzzles check 3")
    assert state.read_text() == before


def test_other_files_are_nobodys_best(bench: Bench, course: Path) -> None:
    for arguments in (("3", "--solution"), ("3", "--file", str(mine(course))), ("3", "--solutions", "puzzles")):
        done = bench(*arguments, "--sizes", "4096", "--json")
        assert done.returncode == 0, done.stderr
        (found,) = json.loads(done.stdout)["results"]
        names = [contender["name"] for contender in found["contenders"]]
        first = {"--solution": "solution", "--file": "p03_online_softm", "--solutions": "puzzles/"}[arguments[1]]
        assert names[0].replace("…", "m").startswith(first[:15])
        assert names[-3:] == ["solution", "tuned", "naive torch"]
    assert not (course / ".tritonpuzzles" / "state.json").exists()


def test_the_ladder_takes_what_is_there(bench: Bench, course: Path) -> None:
    done = bench("--ladder", "--plot", "ladder.svg", "--json")
    assert done.returncode == 0, done.stderr
    benches = json.loads(done.stdout)["results"]
    assert [(found["puzzle"], len(found["points"])) for found in benches] == [(n, 1) for n in range(9)]
    yours = [next(c for c in found["contenders"] if c["name"] == "yours") for found in benches]
    assert [contender["speeds"][0]["rate"] for contender in yours] == [*[None] * 3, 2000.0, *[None] * 5]
    assert (course / "ladder.svg").read_text().startswith("<?xml")
    printed = bench("--ladder").stdout
    assert "From naive to tuned" in printed
    assert "p05 32768 x 128" in printed
