"""The report that Python and notebooks get of a check: the data, and how it looks as HTML and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tritonpuzzles.front.grading import Graded
from tritonpuzzles.front.report.advice import next_step
from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import Report

if TYPE_CHECKING:
    from tritonpuzzles.front.page.model import Blocks

WIDTH = 80


@dataclass(frozen=True, repr=False)
class CheckReport(Report):
    """A report that can show itself.

    Attributes:
        next_step: what to do next, if there is something.
        notes: sentences to say before the report.
        question: one that the learner is asked before the report, and its answers.
        link: words and address of what to open next, in place of the next step where links can be followed.
        closing: what to say below the report, lines as a terminal has them.
    """

    next_step: str | None = None
    notes: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    link: tuple[str, str] | None = None
    closing: str = ""

    def blocks(self) -> Blocks:
        """Return the report, with what is said before it and below it."""
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
        from tritonpuzzles.front.report.values import without_values

        return printed(rendered(without_values(self).blocks(), View(WIDTH)), WIDTH).rstrip("\n")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdicts = ", ".join(f"p{result.puzzle:02d} {result.verdict.value}" for result in self.results)
        return f"<report: {verdicts or 'nothing checked'}; print it for the text>"

    def _repr_html_(self) -> str:
        from tritonpuzzles.front.page.html import html

        return html(self.blocks())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text)


def checked(graded: Graded, notes: tuple[str, ...] = (), question: tuple[str, ...] = ()) -> CheckReport:
    """Return the report of a check with what its display needs.

    Args:
        graded: what `grade` returned.
        notes: sentences to say before the report.
        question: as in `CheckReport`.
    """
    from tritonpuzzles.front.console import printed
    from tritonpuzzles.front.page.model import View
    from tritonpuzzles.front.report import first_step
    from tritonpuzzles.front.report.several import finish_lines

    report = graded.report
    step = first_step(report, lambda result: next_step(graded, result))
    end = finish_lines(graded.curriculum, graded.progress, View(WIDTH)) if graded.completed else []
    closing = printed(end, WIDTH)
    return CheckReport(report.tritonpuzzles, report.environment, report.results, step, notes, question, closing=closing)
