"""Several puzzles in one report: a table first, in which those that pass need no more than their line."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.report.stars import star_signs
from tritonpuzzles.front.report.style import MARKS, Lines, View, indented
from tritonpuzzles.front.text import one_line, percent, significant
from tritonpuzzles.results.check import PuzzleResult, Report, Verdict
from tritonpuzzles.results.cover import grouped
from tritonpuzzles.results.words import plural

NEEDS_NO_MORE = (Verdict.PASS, Verdict.UNSOLVED)
WIDE = 60  # columns from which a table has room


def summary_lines(report: Report, view: View) -> Lines:
    """Return one sentence and one line per puzzle."""
    passed = sum(result.passed for result in report.results)
    mark = MARKS[Verdict.PASS if report.passed else Verdict.FAIL]
    verdict = f"{mark.sign} {mark.word}  "
    sentence = f"{passed} of {plural(len(report.results), 'puzzle')} {'passes' if passed == 1 else 'pass'}"
    rows = _table(report) if view.width >= WIDE else _stacked(report)
    return [Text.assemble((verdict, mark.style), (sentence, "bold")), Text(), *rows]


def _table(report: Report) -> Lines:
    grid = Table.grid(padding=(0, 2))
    for _ in range(2):
        grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for result in report.results:
        mark = MARKS[result.verdict]
        grid.add_row(Text(f"{mark.sign} {mark.word}", mark.style), Text(label(result)), Text(remark(result)))
    return [grid]


def _stacked(report: Report) -> Lines:
    """Return two lines per puzzle, where a table has no room."""
    lines: Lines = []
    for result in report.results:
        mark = MARKS[result.verdict]
        lines.append(Text.assemble((f"{mark.sign} {mark.word}", mark.style), f"  {label(result)}"))
        lines.append(indented(Text(remark(result), style="dim"), 4))
    return lines


def label(result: PuzzleResult) -> str:
    """Return `p03 online_softmax`."""
    return f"p{result.puzzle:02d} {one_line(result.slug)}"


def remark(result: PuzzleResult) -> str:
    """Return what a table says of a result in a few words."""
    return f"{star_signs(result.stars)}  {_in_words(result)}" if result.passed and result.stars else _in_words(result)


def _in_words(result: PuzzleResult) -> str:
    if result.benchmark is not None:
        speed = f"{significant(result.benchmark.rate)} {one_line(result.benchmark.unit)}"
        share = result.benchmark.share_of_copy
        return f"{speed}, {percent(share)} of a copy" if share is not None else speed
    if result.verdict is Verdict.PASS:
        return plural(len(result.cases), "case")
    if result.verdict is Verdict.FAIL:
        wrong = sum(case.verdict is not Verdict.PASS for case in result.cases)
        idle = sum(case.verdict is Verdict.PASS and case.programs == 0 for case in result.cases)  # nothing to do
        return f"{wrong} of {plural(len(result.cases) - idle, 'case')} not right" if wrong else "see below"
    if result.verdict is Verdict.UNSOLVED:
        return "not started yet"
    groups = grouped(result.findings)
    return one_line(groups[0].first.code.replace("-", " ")) if groups else ""
