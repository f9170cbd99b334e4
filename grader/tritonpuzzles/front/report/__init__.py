"""The report of a check: the verdict first, then what is wrong, its cost, and the next step.

Each part of it is a function from results to blocks, which `page` shows on a terminal or as HTML. Nothing in it
interprets a learner's text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from tritonpuzzles.front.page.html import html
from tritonpuzzles.front.page.model import (
    Block,
    Blocks,
    Brief,
    Gap,
    Heading,
    Next,
    Paragraph,
    Printed,
    Section,
    Title,
    View,
)
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.report.cases import case_blocks, clearest_blocks
from tritonpuzzles.front.report.findings import finding_blocks
from tritonpuzzles.front.report.naming import about, label, marked, report_anchor
from tritonpuzzles.front.report.predicted import predicted_blocks, prediction, star_blocks
from tritonpuzzles.front.report.several import NEEDS_NO_MORE, summary_blocks
from tritonpuzzles.front.report.source import value_blocks
from tritonpuzzles.front.report.speed import benchmark_blocks, occupancy_blocks
from tritonpuzzles.front.report.traffic import dram_blocks, traffic_blocks
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.results.check import Finding, Preliminary, PuzzleResult, Report, Verdict
from tritonpuzzles.results.cover import FIX
from tritonpuzzles.results.words import plural

Advice = Callable[[PuzzleResult], str | None]
RACES = "races between programs other than conflicting reads and writes."
ON_CPU = f"Not seen on the CPU: speed, and {RACES}"
NOT_TIMED = f"Speed is predicted, not measured. Not seen on the CPU: {RACES}"
KEPT_FROM = {  # by the beginning of the protection's name
    "Landlock": "write in no folder but its own",
    "a filter": "reach no network",
    "a PID": "leave no process behind",
    "a supervisor": "leave no process behind",
}
SHOWN, SHOWN_VERBOSE, SHOWN_ON_PAGE = (12, 4000), (400, 200_000), (400, 40_000)  # lines and characters of output
AnyReport = TypeVar("AnyReport", bound=Report)


def render(report: Report, console: Console, verbose: bool = False, advice: Advice = lambda _: None) -> None:
    """Print a report."""
    view = View(console.width, verbose)
    for line in report_lines(report, view, advice):
        console.print(line)


def report_lines(report: Report, view: View, advice: Advice) -> Lines:
    """Return a report as a terminal shows it."""
    step = first_step(report, advice)
    return rendered(report_blocks(report, view, Next(step) if step else None), view)


def report_html(report: Report, next_step: str | None = None, *, linked: bool = False) -> str:
    """Return a report as one `<div>`, with a table of every case beyond what a terminal shows."""
    return html(report_blocks(report, View(linked=linked), Next(harmless(next_step)) if next_step else None))


def report_blocks(report: Report, view: View, step: Next | None) -> Blocks:
    """Return the whole report, in order."""
    several = len(report.results) != 1
    blocks: list[Block] = [*summary_blocks(report, view)] if several else []
    for result in report.results:
        if not several or view.verbose or result.verdict not in NEEDS_NO_MORE:
            anchor = report_anchor(result) if view.linked else None
            blocks += [*([Gap()] if several else []), Section(result_blocks(result, view), anchor)]
    onward: Blocks = [Gap(), step] if step else []
    return [*blocks, *_closing(report, view), *onward]


def result_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the part of the report on one file; of a stub only that it is one."""
    if result.verdict is Verdict.UNSOLVED:
        return [*_header(result), *(Paragraph(harmless(finding.message)) for finding in result.findings)]
    cases, found = case_blocks(result, view), finding_blocks(result, view)
    wrong = [*cases, *found] if result.passed else [*found, *clearest_blocks(result, view), *cases]
    return [
        *_header(result),
        *wrong,
        *value_blocks(result, view),
        *traffic_blocks(result, view),
        *dram_blocks(result),
        *occupancy_blocks(result),
        *benchmark_blocks(result, view),
        *predicted_blocks(result, view),
        *star_blocks(result),
        *output_blocks(result, view),
    ]


def preliminary_lines(found: Preliminary, view: View) -> Lines:
    """Return the preliminary report for a terminal; a file that is right so far is not called a pass."""
    title = Title(Text.assemble(("values right  ", "bold cyan"), (label(found.result), "bold")))
    right: Blocks = [title, Paragraph(about(found.result), "dim"), *case_blocks(found.result, view)]
    blocks = right if found.right_so_far else result_blocks(found.result, view)
    return rendered([*blocks, Gap(), Paragraph(f"{one_line(found.doing)} ...", "dim", 0)], view)


def _header(result: PuzzleResult) -> Blocks:
    return [Title(marked(result.verdict, label(result))), Paragraph(about(result), "dim")]


def output_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section with the learner's printed output: cut to a length, marked as theirs; none if it is blank."""
    short = SHOWN_VERBOSE if view.verbose else SHOWN
    hint = "" if view.verbose else " (--verbose shows more)"
    return [Brief(_printed(result.output, *short, hint), _printed(result.output, *SHOWN_ON_PAGE))]


def _printed(output: str, lines: int, characters: int, hint: str = "") -> Blocks:
    printed = harmless(output[:characters]).strip("\n").split("\n")
    if not any(line.strip() for line in printed):
        return []
    hidden = len(printed) - lines
    more = "more" if len(output) > characters else plural(hidden, "more line") if hidden > 0 else ""
    return [Heading("Your code printed"), Printed(printed[:lines], more and f"{more}{hint}")]


def _closing(report: Report, view: View) -> Blocks:
    """Return what no check on this machine could see, and what the sandbox did not keep the file from."""
    held = confinement(report)
    unseen = (
        [Paragraph(NOT_TIMED if all(map(prediction, report.results)) else ON_CPU, "dim", 0)] if cpu_only(report) else []
    )
    whole = [*unseen, *([Paragraph(held, "dim", 0)] if held else [])]
    lacks = any(result.confinement is not None and result.confinement.missing for result in report.results)
    short = whole if view.verbose or lacks else unseen
    return [Brief([Gap(), *short] if short else [], whole)]


def confinement(report: Report) -> str | None:
    """Return what the system kept the files from, all of which were run on one machine; `None` if none was run.

    It is worded for a reader who wonders what an unknown file could do.
    """
    told = next((result.confinement for result in report.results if result.confinement is not None), None)
    if told is None:
        return None
    missing = "; ".join(told.missing)
    kept = dict.fromkeys(KEPT_FROM[start] for name in told.holds for start in KEPT_FROM if name.startswith(start))
    if not kept:
        return harmless(f"Nothing kept the file from the rest of this machine: {missing}.")
    held = f"The system held the file: it could {', '.join(kept)}."
    return harmless(f"{held} Not held by {missing}." if told.missing else held)


def first_step(report: Report, advice: Advice) -> str | None:
    """Return the first next step that any result has; results that do not pass come first."""
    steps = (advice(result) for result in sorted(report.results, key=lambda result: result.passed))
    return next((step for step in steps if step), None)


def cpu_only(report: Report) -> bool:
    """Return whether every file passes and no kernel ran on a GPU; then the report names what only a GPU shows."""
    on_gpu = any(result.device == "cuda" or result.benchmark for result in report.results)
    return report.passed and not on_gpu and any(result.cases for result in report.results)


def without_fixes(report: AnyReport) -> AnyReport:
    """Leave out what to do about each finding, and the change that makes it right."""
    return replace(report, results=tuple(map(_without_fixes, report.results)))


def _without_fixes(result: PuzzleResult) -> PuzzleResult:
    predicted = result.predicted
    if predicted is not None and predicted.why is not None:
        predicted = replace(predicted, why=_without_fix(predicted.why))
    return replace(result, findings=tuple(map(_without_fix, result.findings)), predicted=predicted)


def _without_fix(finding: Finding) -> Finding:
    fix = finding.details.get(FIX, "")
    rest = {name: value for name, value in finding.details.items() if name != FIX}
    return replace(finding, message=finding.message.replace(fix, "").rstrip(), next_step=None, details=rest)


def without_values(report: AnyReport) -> AnyReport:
    """Leave out the numbers, which only HTML shows unasked."""
    return replace(report, results=tuple(replace(result, states=None) for result in report.results))
