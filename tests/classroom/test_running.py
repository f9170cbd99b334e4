"""A class is graded by the real judge: verdicts, one deadline, files apart, and nothing lost by a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURE
from tritonpuzzles.judge.options import CACHE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RIGHT = (FIXTURE / "solutions" / "p01_square.py").read_text()
STUB = (FIXTURE / "puzzles" / "p01_square.py").read_text()
HOST = '    """Return x squared; x: (n,)."""\n    y = torch.empty_like(x)\n'
KERNEL = "    x = tl.load(x_ptr + offsets, mask=mask)\n"
STEM = "p01_square"

ENDLESS = {
    "import": RIGHT + "\nwhile True:\n    pass\n",
    "host function": RIGHT.replace(HOST, HOST + "    while True:\n        pass\n"),
    "kernel": RIGHT.replace(KERNEL, KERNEL + "    while tl.load(x_ptr, volatile=True) < 1.0e30:\n        x += 0.0\n"),
}
assert RIGHT not in ENDLESS.values()


def command(*words: str | Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "TRITONPUZZLES_PACK": str(FIXTURE), "PYTHONPATH": f"{ROOT / 'grader'}:{ROOT}"}
    environment.pop(CACHE, None)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.classroom.by_hand", *map(str, words)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def graded(*words: str | Path, code: int = 0) -> dict[str, Any]:
    """Grade a class and return what was printed."""
    process = command(*words)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    found: dict[str, Any] = json.loads(out) if out else {"stderr": err}
    return found


def hand_in(folder: Path, files: dict[str, str]) -> Path:
    for student, text in files.items():
        (folder / student).mkdir(parents=True)
        (folder / student / f"{STEM}.py").write_text(text)
    return folder


def lines(out: Path, name: str = "results.jsonl") -> dict[str, dict[str, Any]]:
    """Return the last line of each student."""
    found = map(json.loads, (out / name).read_text().splitlines())
    return {line["student"]: line for line in found}


def until(holds: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_each_file_of_a_class_gets_its_verdict(tmp_path: Path) -> None:
    folder = hand_in(
        tmp_path / "class",
        {
            "ada": RIGHT,
            "bob": RIGHT.replace("x * x", "x * x * x"),
            "cem": STUB,
            "dan": "import os\nos.system('true')\nthis is no Python",
            "eva": RIGHT.replace("x * x", "x + x"),
            "fay": RIGHT,  # the same bytes as ada's
        },
    )
    found = graded(folder, tmp_path / "out", "--jobs", "2")
    assert found["outcomes"] == {
        "ada/square": "pass",
        "bob/square": "fail",
        "cem/square": "unsolved",
        "dan/square": "error",
        "eva/square": "fail",
        "fay/square": "pass",
    }
    written = lines(tmp_path / "out")
    assert written["ada"]["key"] == written["fay"]["key"]
    assert written["fay"]["file"] == f"fay/{STEM}.py"
    assert written["dan"]["findings"][0]["code"] == "syntax-error"
    assert all(len(line) < 5 * 1024 for line in (tmp_path / "out/results.jsonl").read_text().splitlines())
    again = graded(folder, tmp_path / "out", "--jobs", "2")  # with the seed that the first run drew
    assert (again["graded_now"], again["seed"], again["outcomes"]) == (0, found["seed"], found["outcomes"])
    (folder / "bob" / f"{STEM}.py").write_text(RIGHT + "\n# late\n")
    late = graded(folder, tmp_path / "out")
    assert (late["graded_now"], late["outcomes"]["bob/square"]) == (1, "pass")


def test_import_host_function_and_kernel_share_one_deadline(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {name.replace(" ", "-"): text for name, text in ENDLESS.items()})
    graded(folder, tmp_path / "out", "--jobs", "3", "--deadline", "3")
    for name in ENDLESS:
        line = lines(tmp_path / "out")[name.replace(" ", "-")]
        (first,) = [finding for finding in line["findings"] if finding["severity"] == "error"][:1]
        assert (line["verdict"], first["code"]) == ("error", "timeout")
        assert f"3 s together, and {'a' if name == 'kernel' else 'its'} {name} was still running" in first["message"]
        assert [code for code, _ in line["flags"]] == ["deadline"]


NEIGHBOUR = """
import glob, os, tempfile
for place in [*glob.glob(tempfile.gettempdir() + "/../tritonpuzzles-held-*/p01_square.py"), {victim!r}]:
    try:
        if os.path.realpath(place) == os.path.realpath(__file__):
            continue
        seen = open(place).read()
        raise SystemExit("read " + place)
    except OSError:
        pass
    try:
        open(place, "w").write("raise SystemExit")
        raise SystemExit("wrote " + place)
    except OSError:
        pass
"""


def test_no_file_reads_or_changes_anothers(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": RIGHT, "zoe": RIGHT + "\n"})
    victim = folder / "zoe" / f"{STEM}.py"
    (folder / "ada" / f"{STEM}.py").write_text(NEIGHBOUR.format(victim=str(victim)) + RIGHT)
    found = graded(folder, tmp_path / "out", "--jobs", "2")
    assert found["outcomes"] == {"ada/square": "pass", "zoe/square": "pass"}
    assert victim.read_text() == RIGHT + "\n"
    assert lines(tmp_path / "out")["ada"]["flags"][0][0] == "reaches-out"


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can become another user")
def test_each_file_is_run_by_a_user_of_its_own(tmp_path: Path) -> None:
    asks = 'import os\nraise RuntimeError(f"{os.getuid()} {os.getgid()} {os.getgroups()}, alone: {os.listdir()}")\n'
    folder = hand_in(tmp_path / "class", {"ada": asks, "bob": asks + "\n"})
    graded(folder, tmp_path / "out")
    said = [line["findings"][0]["message"] for line in lines(tmp_path / "out").values()]
    users = {message.split("RuntimeError: ")[1].split()[0] for message in said}
    assert len(users) == 2
    assert "0" not in users
    assert all(f"{user} {user} []" in message for user, message in zip(sorted(users), sorted(said), strict=True))


def test_a_solution_that_fails_here_gives_nobody_a_zero(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": RIGHT, "bob": STUB})
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / f"{STEM}.py").write_text(RIGHT.replace("x * x", "x"))
    found = graded(folder, tmp_path / "out", "--solutions", solutions, code=3)
    assert set(found["outcomes"].values()) == {"infra_error"}
    assert "the solution of puzzle 1 does not pass on this machine" in found["broken"][0]
    whole = graded(folder, tmp_path / "out")
    assert whole["outcomes"] == {"ada/square": "pass", "bob/square": "unsolved"}
    assert whole["graded_now"] == 2


def slow(number: int) -> str:
    return RIGHT.replace(HOST, HOST + "    import time; time.sleep(0.2)\n") + f"# {number}\n"


def test_what_a_killed_run_has_graded_is_not_graded_again(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {f"student{number}": slow(number) for number in range(6)})
    out = tmp_path / "out"
    process = command(folder, out, "--jobs", "2")
    until(lambda: (out / "results.jsonl").exists() and (out / "results.jsonl").read_bytes().count(b"\n") >= 2)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with (out / "results.jsonl").open("ab") as file:
        file.write(b'{"key": "torn')
    before = len(lines(out)) if (out / "results.jsonl").read_bytes().endswith(b"\n") else None
    assert before is None
    found = graded(folder, out, "--jobs", "2")
    assert set(found["outcomes"].values()) == {"pass"}
    assert 0 < found["graded_now"] <= 4
    assert len((out / "results.jsonl").read_text().splitlines()) == 6
    assert graded(folder, tmp_path / "whole", "--jobs", "2")["outcomes"] == found["outcomes"]


def judges_of(process: subprocess.Popen[str]) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == process.pid and b"judgeserver" in (entry / "cmdline").read_bytes():
                yield int(entry.name)
        except (OSError, ValueError):
            continue


@pytest.mark.parametrize("judges", [1, 2])
def test_a_judge_that_is_killed_is_started_again(tmp_path: Path, judges: int) -> None:
    folder = hand_in(tmp_path / "class", {f"student{number}": slow(number) for number in range(5)})
    out = tmp_path / "out"
    process = command(folder, out, "--jobs", "2", "--judges", str(judges))
    until(lambda: (out / "results.jsonl").exists() and (out / "results.jsonl").read_bytes().count(b"\n") >= 1)
    running = sorted(judges_of(process))
    assert len(running) == judges
    os.kill(running[-1], signal.SIGKILL)
    printed, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert set(json.loads(printed)["outcomes"].values()) == {"pass"}


def test_two_runs_into_one_folder_are_refused(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": slow(1)})
    process = command(folder, tmp_path / "out")
    until(lambda: (tmp_path / "out/results.jsonl").exists())
    refused = graded(folder, tmp_path / "out", code=2)
    assert "Another process is grading into" in refused["stderr"]
    process.communicate(timeout=300)
    assert process.returncode == 0


def test_an_interrupt_ends_every_judge_and_keeps_what_is_graded(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {f"student{number}": slow(number) for number in range(8)})
    out = tmp_path / "out"
    process = command(folder, out, "--jobs", "2", "--judges", "2")
    until(lambda: (out / "results.jsonl").exists() and (out / "results.jsonl").read_bytes().count(b"\n") >= 2)
    running = [*judges_of(process)]
    assert len(running) == 2
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    until(lambda: not any(Path("/proc", str(judge)).exists() for judge in running), 30)
    found = graded(folder, out, "--jobs", "2", "--judges", "2")
    assert set(found["outcomes"].values()) == {"pass"}
    assert 0 < found["graded_now"] < 8
