"""Solutions with one slip, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import account_of

ROOT = Path(__file__).resolve().parents[2]
QUICK = CheckOptions(device="cpu", seed=1, targets=(), timeout=120.0)  # a slow machine runs as many cases


def first_finding(tmp_path: Path, number: int, *pairs: tuple[str, str], case: str | None = None) -> tuple[Finding, str]:
    """Return what a report says first of a solution with some pieces of text replaced, and the line that it names."""
    findings, lines = checked(tmp_path, number, *pairs, case=case)
    finding = account_of(findings).open[0].first
    return finding, lines[(finding.line or 0) - 1]


def checked(
    tmp_path: Path, number: int, *pairs: tuple[str, str], case: str | None = None
) -> tuple[Sequence[Finding], list[str]]:
    """Return everything that is found in a solution with some pieces of text replaced, and its lines."""
    puzzle = next(puzzle for puzzle in load_curriculum().puzzles if puzzle.number == number)
    text = next((ROOT / "solutions").glob(f"p{number:02d}_*.py")).read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / "slip.py"
    path.write_text(text)
    (result,) = check([(puzzle, path)], replace(QUICK, case=case)).results
    return result.findings, path.read_text().splitlines()
