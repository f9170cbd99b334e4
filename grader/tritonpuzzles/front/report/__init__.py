"""The report on a terminal: the verdict first, then what is wrong, what it cost, and what to do next.

Nothing in it interprets a learner's text: every piece is a `Text` of harmless characters, in sixteen colours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tritonpuzzles.front.report.benchmark import benchmark_lines
from tritonpuzzles.front.report.cases import case_lines, clearest_lines
from tritonpuzzles.front.report.confinement import confinement, lacks
from tritonpuzzles.front.report.dram import dram_lines
from tritonpuzzles.front.report.findings import finding_lines
from tritonpuzzles.front.report.occupancy import occupancy_lines
from tritonpuzzles.front.report.output import output_lines
from tritonpuzzles.front.report.stars import star_lines
from tritonpuzzles.front.report.states import state_lines
from tritonpuzzles.front.report.style import MARKS, Lines, View, indented, next_line
from tritonpuzzles.front.report.summary import NEEDS_NO_MORE, label, summary_lines
from tritonpuzzles.front.report.traffic import traffic_lines
from tritonpuzzles.front.text import harmless, one_line, significant
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import in_package
from tritonpuzzles.results.check import Preliminary, PuzzleResult, Report, Verdict
from tritonpuzzles.results.words import DEVICES

__all__ = ["Advice", "View", "render"]

Advice = Callable[[PuzzleResult], str | None]
ON_CPU = "On the CPU: no speed, and no races between programs beyond conflicting reads and writes."


def render(report: Report, console: Console, verbose: bool = False, advice: Advice = lambda _: None) -> None:
    """Print a report.

    Args:
        report: what the judge concluded.
        console: where to, from `front.console`: without markup and highlighting.
        verbose: open every case, and print all that was measured.
        advice: returns what to do next after a result, if there is something.
    """
    view = View(console.width, verbose)
    for line in report_lines(report, view, advice):
        console.print(line)


def report_lines(report: Report, view: View, advice: Advice) -> Lines:
    """Return the report's renderables, in order."""
    if len(report.results) == 1:
        return [*result_lines(report.results[0], view), *_closing(report, view, advice)]
    lines = summary_lines(report, view)
    for result in report.results:
        if view.verbose or result.verdict not in NEEDS_NO_MORE:
            lines += [Text(), *result_lines(result, view)]
    return [*lines, *_closing(report, view, advice)]


def result_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the part of the report on one file; of a stub only that it is one."""
    if result.verdict is Verdict.UNSOLVED:
        return [*_header(result), *(indented(Text(harmless(finding.message))) for finding in result.findings)]
    cases, found = case_lines(result, view), finding_lines(result, view)
    return [
        *_header(result),
        *([*cases, *found] if result.passed else [*found, *clearest_lines(result, view), *cases]),
        *state_lines(result, view),
        *traffic_lines(result, view),
        *dram_lines(result),
        *occupancy_lines(result),
        *benchmark_lines(result, view),
        *star_lines(result),
        *output_lines(result, view),
    ]


def preliminary_lines(found: Preliminary, view: View) -> Lines:
    """Return the report as far as it goes; what is right until now is called no pass."""
    doing = Text(f"{one_line(found.doing)} ...", style="dim")
    if not found.right_so_far:
        return [*result_lines(found.result, view), Text(), doing]
    title = Text.assemble(("values right  ", "bold cyan"), (label(found.result), "bold"))
    return [title, indented(Text(about(found.result), style="dim")), *case_lines(found.result, view), Text(), doing]


def about(result: PuzzleResult) -> str:
    """Return what was checked and how: `puzzles/p03_online_softmax.py, CPU, seed 1, checked in 1.7 s`."""
    devices = dict.fromkeys(case.device for case in result.cases) or {result.device: None}
    words = " and ".join(DEVICES.get(device, one_line(device)) for device in devices)
    inside = in_package(Path(str(result.file)))
    file = f"the package's {inside}" if inside is not None else shown(one_line(str(result.file)))
    checked = f", checked in {significant(result.seconds, 2)} s" if result.seconds else ""
    return f"{file}, {words}, seed {result.seed}{checked}"


def _header(result: PuzzleResult) -> Lines:
    mark = MARKS[result.verdict]
    title = Text.assemble((f"{mark.sign} {mark.word}  ", mark.style), (label(result), "bold"))
    return [title, indented(Text(about(result), style="dim"))]


def _closing(report: Report, view: View, advice: Advice) -> Lines:
    """Return what no check could see here, what the file was not kept from, and what to do next."""
    lines: Lines = []
    if cpu_only(report):
        lines += [Text(ON_CPU, style="dim")]
    if (view.verbose or lacks(report)) and (held := confinement(report)):
        lines.append(Text(held, style="dim"))
    step = first_step(report, advice)
    lines = [Text(), *lines] if lines else []
    return [*lines, Text(), next_line(step)] if step else lines


def first_step(report: Report, advice: Advice) -> str | None:
    """Return what to do next: after the first result that has something, those that do not pass before the others."""
    steps = (advice(result) for result in sorted(report.results, key=lambda result: result.passed))
    return next((step for step in steps if step), None)


def cpu_only(report: Report) -> bool:
    """Return whether every file passes, and none of the kernels ran on a GPU: what a GPU could say is told of then."""
    on_gpu = any(result.device == "cuda" or result.benchmark for result in report.results)
    return report.passed and not on_gpu and any(result.cases for result in report.results)
