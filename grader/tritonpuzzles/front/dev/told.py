"""What a report says first of a wrong kernel: what a learner with this mistake reads before all else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.cover import PROOF, account_of
from tritonpuzzles.results.words import first_sentence


@dataclass(frozen=True)
class Told:
    """The first finding of a report; of a file without one, its verdict in place of the code.

    Attributes:
        puzzle: its number.
        file: that was checked.
        code: of the finding.
        line: that it names, where it names one.
        at: the text of that line.
        says: its first sentence.
        proof: of what kind its proof is, where it has one.
    """

    puzzle: int
    file: Path
    code: str
    line: int | None = None
    at: str = ""
    says: str = ""
    proof: str = ""


def first_told(puzzle: Puzzle, file: Path, options: CheckOptions) -> Told:
    """Check a file, and return what the report says first."""
    from tritonpuzzles.judge.check import check

    (result,) = check([(puzzle, file)], options).results
    opened = account_of(result.findings).open
    if not opened:
        return Told(puzzle.number, file, result.verdict.value)
    first, lines = opened[0].first, file.read_text(encoding="utf-8").splitlines()
    at = lines[first.line - 1].strip() if first.line else ""
    proof = str(first.details.get(PROOF, ""))
    return Told(puzzle.number, file, first.code, first.line, at, first_sentence(first.message), proof)
