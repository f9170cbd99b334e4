"""Wrong kernels must die by their own code, right ones must live: `tritonpuzzles dev check`, puzzle by puzzle."""

from __future__ import annotations

import json
import os
import re
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.program import run_here
from tests.turns import OF_ONE_PUZZLE, part
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.dev.proof import read_corpus

ROOT = Path(__file__).resolve().parents[2]
PUZZLES = load_curriculum().puzzles
MATRIX = ROOT / "docs" / "kill_matrix.md"


@pytest.mark.first
@pytest.mark.corpus
class Corpus:
    """What is asked of the kernels of one puzzle; a class for each, so that they can be spread over processes."""

    puzzle: Puzzle

    @pytest.fixture(scope="class")
    def proof(self, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
        page = tmp_path_factory.mktemp("proof") / "kill_matrix.md"
        asked = ("dev", "check", str(request.cls.puzzle.number), "--corpus", "tests/mutants")
        words = (*asked, "--json", "--jobs", "1", "--matrix", str(page))
        done = run_here(words, ROOT, os.environ)
        assert done.returncode in (0, 1), done.stderr
        (proved,) = json.loads(done.stdout)["puzzles"]
        return {**proved, "page": page.read_text(), "exit": done.returncode}

    def test_every_demand_holds(self, proof: dict[str, Any]) -> None:
        assert [demand["text"] for demand in proof["demands"] if not demand["ok"]] == []

    def test_wrong_kernels_are_rejected_and_named(self, proof: dict[str, Any]) -> None:
        wrong = proof["wrong"]
        assert [mutant["name"] for mutant in wrong if mutant["verdict"] not in ("fail", "error")] == []
        named = [mutant for mutant in wrong if mutant["code"] in mutant["codes"]]
        assert len(named) >= 0.9 * len(wrong)

    def test_reports_are_short_and_begin_with_the_cause(self, proof: dict[str, Any]) -> None:
        counts = sorted(len(mutant["open"]) for mutant in proof["wrong"])
        lines = sorted(mutant["lines"] for mutant in proof["wrong"])
        assert statistics.median(counts) <= 1
        assert counts[int(0.95 * len(counts))] <= 3
        assert statistics.median(lines) <= 28  # of one puzzle; over all five it is below 26
        assert lines[-1] <= 45
        hidden = [
            mutant["name"]
            for mutant in proof["wrong"]
            if mutant["code"] in set(mutant["codes"]) - set(mutant["open"]) and not mutant["proof"]
        ]
        assert len(hidden) <= 0.15 * len(counts), hidden  # their codes stand beside a weightier one

    def test_right_kernels_pass_in_every_style(self, proof: dict[str, Any]) -> None:
        right = proof["right"]
        assert {kernel["name"]: kernel["codes"] for kernel in right if kernel["verdict"] != "pass"} == {}
        assert len(right) >= 6

    def test_the_kill_matrix_is_up_to_date(self, proof: dict[str, Any]) -> None:
        head, section = sections(proof["page"])
        kept = sections(MATRIX.read_text())
        assert head == kept[0]
        assert outline(section) in map(outline, kept), "run `dev check all --matrix docs/kill_matrix.md`"

    def test_the_command_says_so_too(self, proof: dict[str, Any]) -> None:
        assert proof["exit"] == 0


for puzzle in part(PUZZLES, in_ci=len(PUZZLES), otherwise=1) if OF_ONE_PUZZLE else ():
    name = f"Test{puzzle.stem.title().replace('_', '')}"
    globals()[name] = type(name, (Corpus,), {"puzzle": puzzle, "__module__": __name__})


def test_the_kill_matrix_has_every_puzzle_once_in_order() -> None:
    titles = [section.splitlines()[0] for section in sections(MATRIX.read_text())[1:]]
    assert titles == [f"## {puzzle.number}. {puzzle.title}" for puzzle in PUZZLES]


def test_there_are_many_kernels() -> None:
    corpora = [read_corpus(ROOT / "tests" / "mutants", puzzle, "cpu") for puzzle in PUZZLES]
    assert sum(len(corpus.wrong) for corpus in corpora) >= 150


def sections(page: str) -> list[str]:
    """Return what stands before the first puzzle, and the section of each."""
    return [section.strip() for section in re.split(r"^(?=## )", page, flags=re.MULTILINE)]


def outline(section: str) -> list[str]:
    """Return headings, kernels, codes and cases; the counts of a kernel at the edge differ between processors."""
    return ["|".join(line.split("|")[:3]) if line.startswith("| ") else line for line in section.splitlines()]
