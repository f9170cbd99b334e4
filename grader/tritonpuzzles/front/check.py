"""What Python, notebooks and pages get of a check: the report that can show itself, and what to do next."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tritonpuzzles.curriculum.record import HINTS
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.grading import Graded, next_unsolved
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.history import is_swapped
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.results.check import PuzzleResult, Report, Verdict

if TYPE_CHECKING:
    from tritonpuzzles.front.page.model import Blocks

WIDTH = 80
NBGRADER = "NBGRADER_EXECUTION"  # nbgrader sets it in the environment of the kernels that it starts


@dataclass(frozen=True, repr=False)
class CheckReport(Report):
    """A report that can show itself."""

    next_step: str | None = None  # what to do next, if anything
    notes: tuple[str, ...] = ()  # sentences to show before the report
    question: tuple[str, ...] = ()  # one that the learner is asked before the report, and its answers
    link: tuple[str, str] | None = None  # words and address: the next step where links can be followed
    closing: str = ""  # lines to show below the report, as printed on a terminal

    def blocks(self) -> Blocks:
        """Return the report, with the notes before it and the closing lines below it."""
        from tritonpuzzles.front.page.model import Block, Next, Paragraph, Question, Verbatim, View
        from tritonpuzzles.front.report import report_blocks

        blocks: list[Block] = [Paragraph(harmless(note), indent=0) for note in self.notes]
        if self.question:
            asked, *answers = map(harmless, self.question)
            blocks.append(Question(asked, answers))
        step = self.next_step or (self.link[0] if self.link else None)
        blocks += report_blocks(self, View(WIDTH), Next(harmless(step), self.link) if step else None)
        return [*blocks, *([Verbatim(self.closing)] if self.closing else [])]

    @property
    def text(self) -> str:
        """The report as `tritonpuzzles check` prints it."""
        from tritonpuzzles.front.console import printed
        from tritonpuzzles.front.page.model import View
        from tritonpuzzles.front.page.terminal import rendered
        from tritonpuzzles.front.report import without_values

        return printed(rendered(without_values(self).blocks(), View(WIDTH)), WIDTH).rstrip("\n")

    def score(self, points: float = 1.0) -> float:
        """Return points by the share of puzzles that pass: the value of an autograder's cell.

        nbgrader gives a zero for an error, and no grade where it is offered more than all points: so in its autograder
        a fault of the grader is infinity, and its sentence is printed.

        Raises:
            FrontError: if a puzzle could not be graded, which must not count as zero.
        """
        failed = [one for one in self.results if one.verdict in (Verdict.INFRA_ERROR, Verdict.SKIP)]
        if not failed:
            return float(points) * sum(one.passed for one in self.results) / len(self.results)
        found = failed[0].findings
        why = found[0].message if found else "it needs hardware that is not here"
        told = harmless(f"Puzzle {failed[0].puzzle} could not be graded, and this is no zero: {why}")
        if os.environ.get(NBGRADER) == "autograde":
            print(told)
            return math.inf
        raise FrontError(told, "tritonpuzzles doctor", ExitCode.FAULT)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{result.label.partition(' ')[0]} {result.verdict.value}" for result in self.results)
        return f"<report: {verdicts or 'nothing checked'}; print it for the text>"

    def _repr_html_(self) -> str:
        from tritonpuzzles.front.page.html import html

        return html(self.blocks())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text)


def checked(graded: Graded, notes: tuple[str, ...] = (), question: tuple[str, ...] = ()) -> CheckReport:
    """Return the report of a check with what its display needs."""
    from tritonpuzzles.front.console import printed
    from tritonpuzzles.front.page.model import View
    from tritonpuzzles.front.report import first_step
    from tritonpuzzles.front.report.several import finish_lines

    report = graded.report
    step = first_step(report, lambda result: next_step(graded, result))
    end = finish_lines(graded.curriculum, graded.progress, View(WIDTH)) if graded.completed else []
    closing = printed(end, WIDTH)
    return CheckReport(report.tritonpuzzles, report.environment, report.results, step, notes, question, closing=closing)


def next_step(graded: Graded, result: PuzzleResult) -> str | None:
    """Return the next step after a check, or `None` if there is none."""
    if result.verdict is Verdict.INFRA_ERROR:
        return "tritonpuzzles doctor"
    if graded.case is not None:
        return None if result.verdict is Verdict.UNSOLVED else f"tritonpuzzles check {result.puzzle} runs every case"
    if not graded.source.own or graded.workspace is None:
        return None
    puzzle = graded.curriculum.find(str(result.puzzle))
    if graded.source.cell is None and is_swapped(graded.workspace, puzzle):
        return f"tritonpuzzles swap {puzzle.number} (this was the solution; your file comes back)"
    match result.verdict:
        case Verdict.PASS:
            following = next_unsolved(graded.curriculum, graded.progress)
            if following is not None:
                return f"puzzle {following.number}, {following.title}: tritonpuzzles show {following.number}"
            return None if graded.completed else "every puzzle is solved; tritonpuzzles list shows them"
        case Verdict.UNSOLVED:
            file = shown(graded.workspace.file(puzzle))
            return f"tritonpuzzles show {puzzle.number}, then write the TODO part of {file}"
        case Verdict.ERROR if any(finding.code == "missing-file" for finding in result.findings):
            return f"tritonpuzzles reset {puzzle.number} puts the stub there"
        case Verdict.ERROR if any(finding.code in ("syntax-error", "import-error") for finding in result.findings):
            return f"correct that line, then tritonpuzzles check {puzzle.number}"  # no hint is about Python
        case Verdict.FAIL | Verdict.ERROR:
            seen = graded.progress.get(puzzle.slug, Progress()).hints
            which = f"{seen + 1} of {HINTS}" if seen < HINTS else f"you have seen all {HINTS}"
            return f"tritonpuzzles hint {puzzle.number} ({which})"
    return None
