"""A right kernel gets a predicted speed on a CPU, with what holds it back and where; the program in a process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.program import run_here

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SLOW = ROOT / "tests" / "slow"


def predicted(file: Path, folder: Path, *more: str) -> dict[str, Any] | None:
    """Return what `check --json` says of a file's speed, in a folder that keeps the choice of a GPU."""
    number = str(int(file.name[1:3]))
    done = run_here(
        ("check", number, "--file", str(file), "--device", "cpu", "--seed", "1", "--json", *more), folder, os.environ
    )
    assert done.returncode == 0, done.stdout
    (result,) = json.loads(done.stdout)["results"]
    found: dict[str, Any] | None = result["predicted"]
    return found


def test_a_solution_is_near_what_its_traffic_allows(tmp_path: Path) -> None:
    found = predicted(ROOT / "solutions" / "p03_online_softmax.py", tmp_path, "--gpu", "H200")
    assert found is not None
    assert found["gpu"] == "H200"
    assert found["shape"] == [1024, 65536]
    # 203 microseconds by the clock of an H200
    assert 203 * (1 - found["band"]) <= found["microseconds"] <= 203 * (1 + found["band"])
    assert found["stars"] >= 2
    assert found["why"] is None


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("p00_run_per_lane", "tl.load"),
        ("p01_thirty_two_programs", "softmax_kernel["),
        ("p00_zeroed_output", None),
    ],
)
def test_a_slow_kernel_is_told_why_and_where(name: str, line: str | None, tmp_path: Path) -> None:
    file = SLOW / f"{name}.py"
    text = file.read_text(encoding="utf-8")
    found = predicted(file, tmp_path, "--gpu", "H100")
    assert found is not None
    assert found["why"] is not None, found
    assert f"Cause: {found['why']['code']}" in text
    assert found["why"]["next_step"]
    assert found["stars"] == 1
    if line is not None:
        assert line in text.splitlines()[found["why"]["line"] - 1]


def test_a_product_is_held_beside_the_tensor_cores_and_the_library(tmp_path: Path) -> None:
    found = predicted(ROOT / "solutions" / "p07_matmul.py", tmp_path, "--gpu", "H200")
    assert found is not None
    # 604 TFLOP/s by the clock of an H200, of the configuration that its autotuner takes
    assert 604 / (1 + found["band"]) <= found["rate"] <= 604 * (1 + found["band"])
    assert found["rate"] < found["tensor_tflop_per_s"]
    assert (found["yardstick"], found["yardstick_rate"]) == ("cuBLAS", 691)
    assert found["share_of_copy"] is None


def test_of_a_library_that_nobody_has_timed_there_no_star_is_a_share(tmp_path: Path) -> None:
    found = predicted(ROOT / "solutions" / "p07_matmul.py", tmp_path, "--gpu", "A100")
    assert found is not None
    assert found["rate"] is not None
    assert (found["yardstick_rate"], found["stars"]) == (None, 1)


@pytest.mark.parametrize(
    ("name", "line"),
    [("p07_float32_tiles", "tl.dot"), ("p07_one_stage", "matmul_kernel["), ("p07_groups_tuned", "matmul_kernel[")],
)
def test_a_slow_product_is_told_why_and_where(name: str, line: str, tmp_path: Path) -> None:
    file = SLOW / f"{name}.py"
    text = file.read_text(encoding="utf-8")
    found = predicted(file, tmp_path, "--gpu", "H100")
    assert found is not None
    assert found["why"] is not None, found
    assert f"Cause: {found['why']['code']}" in text
    assert line in text.splitlines()[found["why"]["line"] - 1]


def test_nobody_who_asks_for_none_gets_one(tmp_path: Path) -> None:
    assert predicted(ROOT / "solutions" / "p00_vector_add.py", tmp_path, "--gpu", "none") is None
