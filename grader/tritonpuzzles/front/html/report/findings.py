"""The findings: each kind once, with the learner's line, its line in the notebook's cell, and the next step."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import BAD, OPEN, code, element, folded, heading
from tritonpuzzles.front.report.findings import SIGNS, Quotes, beside, seen_in, the_same_in
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.results.causes import Group, account_of
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.codes import Severity

COLOURS = {Severity.ERROR: BAD, Severity.WARNING: OPEN, Severity.NOTE: "tp-note"}


def findings_html(result: PuzzleResult, story_lines: int | None = None) -> Markup:
    """Return the section on what was found; nothing where nothing was.

    Args:
        result: of one file.
        story_lines: lines of the file before those of a notebook's cell.
    """
    account, quotes = account_of(result.findings), Quotes(result.file)
    if not result.findings:
        return Markup("")
    if not account.open:
        return heading("What was seen") + _list(account.notes, quotes, result, story_lines)
    parts = [heading("What is wrong"), _list(account.open, quotes, result, story_lines)]
    more = (*account.beside, *account.notes)
    if more:
        title = beside(account.beside) if account.beside else "What else was seen"
        parts.append(folded(title, _list(more, quotes, result, story_lines)))
    return Markup("\n").join(parts)


def _list(groups: Sequence[Group], quotes: Quotes, result: PuzzleResult, story_lines: int | None) -> Markup:
    items = (_item(group, quotes, _cell_line(group.first, result, story_lines)) for group in groups)
    return element("ul", Markup("\n").join(element("li", item) for item in items), "tp-plain")


def _item(group: Group, quotes: Quotes, cell_line: int | None) -> Markup:
    first = group.first
    sentence, *source = harmless(first.message).split("\n")
    sign = SIGNS[first.severity][0] + ("" if first.severity is Severity.ERROR else f" {first.severity.value}:")
    parts = [
        Markup('<span class="{}">{}</span> {}<span class="tp-dim">{}</span>').format(
            COLOURS[first.severity], sign, sentence, the_same_in(group) + seen_in(group)
        )
    ]
    quote = quotes.of(first, source)
    if quote.place is not None:
        place = quote.place + (f", line {cell_line} of the cell" if cell_line is not None else "")
        parts.append(element("div", place, "tp-place"))
    if quote.lines:
        parts.append(code(quote.lines))
    if first.next_step:
        parts.append(Markup('<div class="tp-next"><b>Next:</b> {}</div>').format(one_line(first.next_step)))
    return Markup("\n").join(parts)


def _cell_line(finding: Finding, result: PuzzleResult, story_lines: int | None) -> int | None:
    """Return the line of the notebook's cell that a finding is about; the cell's first is the magic."""
    if story_lines is None or finding.line is None or finding.line <= story_lines:
        return None
    if finding.file is not None and finding.file != str(result.file):
        return None
    return finding.line - story_lines + 1
