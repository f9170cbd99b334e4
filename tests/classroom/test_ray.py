"""A class on a local Ray: two workers, one of them killed in its work, and the same records as without Ray."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path

import pytest

from tests.classroom.test_class_command import done, start
from tests.classroom.test_running import RIGHT, STUB, hand_in, slow, until
from tritonpuzzles.front.classroom.grading.planned import How
from tritonpuzzles.front.classroom.platforms.on_ray import _shares

TASKS = 2
JOBS = (os.cpu_count() or 2) // TASKS  # CPUs of each
PART = "results-1-of-2.jsonl"


def holder(path: Path) -> int | None:
    """Return the process that has a file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(path):
                return int(link.parts[2])
    return None


@pytest.mark.skipif(not JOBS, reason="needs two CPUs")
def test_a_killed_worker_costs_no_result_and_no_file_is_graded_twice(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    texts = {f"student{number}": slow(number) for number in range(12)}
    folder, out = hand_in(tmp_path / "class", {**texts, "stub": STUB, "wrong": RIGHT.replace("x * x", "x")}), tmp_path
    asked = ("grade", folder, "--out", out / "ray", "--device", "cpu", "--engine", "ray", "--jobs", str(JOBS))
    process, part = start(*asked, "--json"), out / "ray" / PART
    until(lambda: process.poll() is not None or (part.exists() and part.read_bytes().count(b"\n") >= 1))
    assert process.poll() is None, process.communicate()[1]
    worker = holder(part)
    assert worker not in (None, process.pid)
    os.kill(worker, signal.SIGKILL)
    printed, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    found = json.loads(printed)
    assert found["verdicts"] == {"p01 square": {"pass": 12, "fail": 1, "unsolved": 1}}
    lines = [json.loads(line) for file in (out / "ray").glob("results*.jsonl") for line in file.open()]
    assert len(lines) == len({line["student"] for line in lines}) == 14
    assert (out / "ray" / "grades.csv").is_file()
    again = json.loads(done(*asked, "--json")[0])
    assert (again["graded_now"], again["verdicts"]) == (0, found["verdicts"])


def test_shards_are_rays_own(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", {"ada": RIGHT})
    told = done("grade", folder, "--engine", "ray", "--shard", "1/2", code=2)[1]
    assert "--engine ray makes shards of its own" in told


@pytest.mark.parametrize(
    ("machines", "how", "expected"),
    [
        ([{"CPU": 8.0}, {"CPU": 4.0}], How("auto", 0), (3, 4, 0)),
        ([{"CPU": 8.0}, {"CPU": 4.0}], How("auto", 2), (6, 2, 0)),
        ([{"CPU": 16.0, "GPU": 2.0}, {"CPU": 4.0}], How("auto", 0), (2, 8, 1)),
        ([{"CPU": 16.0, "GPU": 2.0}], How("cpu", 0), (1, 16, 0)),
        ([{"CPU": 2.0}, {"memory": 1.0}], How("auto", 8), (1, 8, 0)),
    ],
)
def test_a_task_takes_a_card_or_the_smallest_machine(
    machines: list[dict[str, float]], how: How, expected: tuple[int, int, int]
) -> None:
    nodes = [{"Alive": True, "Resources": one} for one in machines]
    assert _shares([*nodes, {"Alive": False, "Resources": {"CPU": 1.0}}], how) == expected
