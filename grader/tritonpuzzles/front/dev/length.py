"""How much of a report stands open: what a learner reads before they know what to do."""

from __future__ import annotations

import io

from tritonpuzzles.front import console
from tritonpuzzles.front.report import render
from tritonpuzzles.results.check import PuzzleResult, Report
from tritonpuzzles.results.cover import account_of

WIDTH = 80


def lines_of(result: PuzzleResult) -> int:
    """Return the lines of a result's report on a terminal of 80 columns."""
    page = io.StringIO()
    render(Report("", {}, (result,)), console.console_on(page, WIDTH))
    return page.getvalue().count("\n")


def open_codes(result: PuzzleResult) -> list[str]:
    """Return the codes of the findings that stand open, the cause first."""
    return [group.first.code for group in account_of(result.findings).open]
