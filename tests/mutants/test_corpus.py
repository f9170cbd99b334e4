"""Wrong kernels must die by their own code, right ones must live: `tritonpuzzles dev check all`, in a real process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum

ROOT = Path(__file__).resolve().parents[2]
PUZZLES = load_curriculum().puzzles


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    page = tmp_path_factory.mktemp("proof") / "kill_matrix.md"
    command = [sys.executable, "-m", "tritonpuzzles", "dev", "check", "all", "--json", "--jobs", "2"]
    done = subprocess.run(
        [*command, "--matrix", str(page)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=1500
    )
    assert done.returncode in (0, 1), done.stderr
    return {**json.loads(done.stdout), "page": page.read_text(), "exit": done.returncode}


@pytest.mark.parametrize("index", range(len(PUZZLES)), ids=[puzzle.stem for puzzle in PUZZLES])
def test_every_demand_on_a_puzzle_holds(proof: dict[str, Any], index: int) -> None:
    assert [demand["text"] for demand in proof["puzzles"][index]["demands"] if not demand["ok"]] == []


def test_wrong_kernels_are_rejected_and_named(proof: dict[str, Any]) -> None:
    wrong = [mutant for puzzle in proof["puzzles"] for mutant in puzzle["wrong"]]
    assert [mutant["name"] for mutant in wrong if mutant["verdict"] not in ("fail", "error")] == []
    named = [mutant for mutant in wrong if mutant["code"] in mutant["codes"]]
    assert len(named) >= 0.9 * len(wrong) >= 0.9 * 150


def test_right_kernels_pass_in_every_style(proof: dict[str, Any]) -> None:
    right = [kernel for puzzle in proof["puzzles"] for kernel in puzzle["right"]]
    assert {kernel["name"]: kernel["codes"] for kernel in right if kernel["verdict"] != "pass"} == {}
    assert len(right) >= 6 * len(PUZZLES)


def test_the_kill_matrix_is_up_to_date(proof: dict[str, Any]) -> None:
    committed = (ROOT / "docs" / "kill_matrix.md").read_text()
    assert outline(proof["page"]) == outline(committed), "run `dev check all --matrix docs/kill_matrix.md`"


def outline(page: str) -> list[str]:
    """Return headings, kernels, codes and cases; the counts of a kernel at the edge differ between processors."""
    return ["|".join(line.split("|")[:3]) if line.startswith("| ") else line for line in page.splitlines()]


def test_the_command_says_so_too(proof: dict[str, Any]) -> None:
    assert proof["exit"] == 0
