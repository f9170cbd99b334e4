"""The cases: how many pass, those that tell most, and all of them in a table that a click opens."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import badge, element, folded, heading, table
from tritonpuzzles.front.report.cases import (
    LAYOUTS,
    alike,
    compiled,
    counts,
    described,
    mismatch_sentences,
    reasons,
    values_of,
)
from tritonpuzzles.front.text import dimensions, one_line, significant
from tritonpuzzles.results.check import CaseResult, PuzzleResult, Verdict
from tritonpuzzles.results.cover import wrong_values
from tritonpuzzles.results.words import DEVICES, plural

KIND = 2  # the column of dtypes, layouts and values, which may hold nothing
HEADS = ("case", "shape", "dtype", "on", "verdict", "error / tolerance", "what it is for")


def cases_html(result: PuzzleResult) -> Markup:
    """Return the section on the cases; nothing where none was run."""
    if not result.cases:
        return Markup("")
    listed = Markup("\n").join(element("li", item) for item in _failing(result))
    rows = [_row(case, result) for case in sorted(result.cases, key=lambda case: case.verdict is Verdict.PASS)]
    told = [number for number in range(len(HEADS)) if number != KIND or any(row[number] for row in rows)]
    shown = table([HEADS[n] for n in told], [[row[n] for n in told] for row in rows], "tp-cases")
    every = folded(f"All {plural(len(rows), 'case')}" if len(rows) > 1 else "The case", shown)
    return heading("Cases", counts(result.cases) + compiled(result)) + element("ul", listed, "tp-plain") + every


def _failing(result: PuzzleResult) -> Iterator[Markup]:
    """Yield the case that shows wrong values best, how many more there are, and the others, each kind once."""
    wrong = wrong_values(result)
    for case in wrong[:1]:
        name = Markup("{} <b>{}</b> {}").format(badge(case.verdict), one_line(case.name), described(case))
        yield Markup("<br>").join([name, *_details(case)])
    if wrong[1:]:
        yield Markup("Wrong values in {} more").format(len(wrong) - 1)
    others = [case for case in result.cases if case.verdict is not Verdict.PASS and case.mismatch is None]
    for verdict, which, codes in alike(others, result.findings):
        yield Markup("{} <b>{}</b>{}").format(badge(verdict), which, f": {codes}" if codes else "")


def _details(case: CaseResult) -> Iterator[str]:
    if case.mismatch is not None:
        yield from mismatch_sentences(case.mismatch)
    if case.why:
        yield element("span", f"About this case: {one_line(case.why)}", "tp-dim")


def _row(case: CaseResult, result: PuzzleResult) -> list[str]:
    words = one_line(case.dtype), LAYOUTS.get(case.layout, one_line(case.layout)), values_of(case)
    share = "" if case.max_error is None or not case.tolerance else significant(case.max_error / case.tolerance, 2)
    return [
        one_line(case.name),
        dimensions(case.shape),
        " ".join(word for word in words if word),
        DEVICES.get(case.device, one_line(case.device)),
        badge(case.verdict),
        share or reasons(case, result.findings),
        one_line(case.why),
    ]
