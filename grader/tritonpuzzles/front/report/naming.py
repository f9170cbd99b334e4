"""What a verdict, a file and a place are called in reports, and the places of a page that links lead to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from tritonpuzzles.front.text import NO_BREAK, one_line, significant
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import in_package
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.words import DEVICES


@dataclass(frozen=True)
class Mark:
    """A sign, the word beside it, and their colour; the word alone is enough where there is no colour."""

    sign: str
    word: str
    style: str

    @property
    def text(self) -> Text:
        """Sign and word."""
        return Text(f"{self.sign} {self.word}", self.style)


MARKS = {
    Verdict.PASS: Mark("✓", "pass", "bold green"),
    Verdict.FAIL: Mark("✗", "fail", "bold red"),
    Verdict.ERROR: Mark("✗", "error", "bold red"),
    Verdict.UNSOLVED: Mark("·", "unsolved", "bold yellow"),
    Verdict.SKIP: Mark("-", "skip", "bold yellow"),
    Verdict.INFRA_ERROR: Mark("!", "grader fault", "bold magenta"),
}


def marked(verdict: Verdict, name: str, rest: str = "", style: str = "") -> Text:
    """Return a verdict, its subject, and details: `✗ fail  late maximum  33 x 781`.

    `style` replaces the verdict's own style, and the bold name, if the line should not stand out.
    """
    mark = MARKS[verdict]
    return Text.assemble((f"{mark.sign} {mark.word}  ", style or mark.style), (name, "" if style else "bold"), rest)


def label(result: PuzzleResult) -> str:
    """Return `p03 online_softmax`."""
    return one_line(result.label)


def about(result: PuzzleResult) -> str:
    """Return what was checked and how: `puzzles/p03_online_softmax.py, CPU, seed 1, checked in 1.7 s`."""
    devices = dict.fromkeys(case.device for case in result.cases) or {result.device: None}
    words = " and ".join(DEVICES.get(device, one_line(device)) for device in devices)
    inside = in_package(Path(str(result.file)))
    file = f"the package's {inside}" if inside is not None else shown(one_line(str(result.file)))
    checked = f", checked in {significant(result.seconds, 2)}{NO_BREAK}s" if result.seconds else ""
    return f"{file}, {words}, seed {result.seed}{checked}"


def where(line: int, path: str, checked: Submission) -> str:
    """Return `puzzles/p03_online_softmax.py:78`, or `line 24 of the cell`."""
    if checked.in_cell and path == str(checked):
        return f"line {line} of the cell"
    return f"{shown(one_line(path))}:{line}"


def part_anchor(result: PuzzleResult) -> str:
    """Return the name of the place where a file's pictures and code begin."""
    return result.label.partition(" ")[0]


def report_anchor(result: PuzzleResult) -> str:
    """Return the name of the place where the report on a file begins."""
    return f"{part_anchor(result)}-report"


def line_anchor(result: PuzzleResult, line: int) -> str:
    """Return the name of a line of the file that was checked."""
    return f"{part_anchor(result)}-line-{line}"
