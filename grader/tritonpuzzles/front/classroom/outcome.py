"""What is kept of one graded file: a line of `results.jsonl`, under 5 KB, and enough for every page and table."""

from __future__ import annotations

from dataclasses import dataclass

VERSION = 1  # of a line of `results.jsonl`
MOST_BYTES = 5 * 1024  # of a line
MOST_FINDINGS = 4
MOST_CHARACTERS = 400  # of a sentence


@dataclass(frozen=True)
class Told:
    """One finding, as a class's pages show it; sentences are cut to `MOST_CHARACTERS`."""

    code: str
    severity: str
    message: str
    line: int | None = None
    case: str | None = None
    next_step: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What is known of one file after its check.

    Points are no part of it: they follow from the verdict, the time and `class.toml`, which may change.

    Attributes:
        key: hash of the file, the grader, the pack, the seed and the options; a file with the key of one that is
            graded is not graded again.
        student: id.
        puzzle, slug: of the puzzle.
        file: its name from the folder of the class on.
        sha256: of the file's bytes.
        how: how it found its puzzle.
        verdict: value of `results.check.Verdict`; "infra_error" counts as not graded.
        device: "cpu", "cuda".
        passed_cases, cases: how many of how many.
        loads: by argument, times its size, of what was counted.
        rate, unit: measured on a GPU.
        seconds: that the check took.
        handed_in: in ISO 8601 with a time zone; `None` where nobody knows.
        is_late: whether the system that collected it says so.
        flags: codes of what an instructor may want to look at, with a sentence each; never a verdict.
        notes: sentences about the file that the student reads, too.
    """

    key: str
    student: str
    puzzle: int
    slug: str
    file: str
    sha256: str
    how: str
    verdict: str
    device: str = "cpu"
    findings: tuple[Told, ...] = ()
    passed_cases: int = 0
    cases: int = 0
    stars: int = 0
    loads: tuple[tuple[str, float], ...] = ()
    rate: float | None = None
    unit: str = ""
    seconds: float = 0.0
    handed_in: str | None = None
    is_late: bool = False
    flags: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    version: int = VERSION
