"""The findings: each kind once, with the learner's line, its line in the notebook's cell, and the next step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from tritonpuzzles.front.glossary import Entry, find
from tritonpuzzles.front.html.report.anchors import line_anchor, link
from tritonpuzzles.front.html.report.markup import BAD, GOOD, OPEN, code, element, folded, heading
from tritonpuzzles.front.report.findings import (
    QUIET,
    SIGNS,
    Quotes,
    beside,
    hard_words,
    right_already,
    seen_in,
    the_same_in,
)
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import Group, account_of

COLOURS = {Severity.ERROR: BAD, Severity.WARNING: OPEN, Severity.NOTE: "tp-note"}


def findings_html(result: PuzzleResult, linked: bool = False) -> Markup:
    """Return the section on what was found; nothing where nothing was.

    Args:
        result: of one file.
        linked: whether the file's lines stand on the same page.
    """
    told = [finding for finding in result.findings if finding.code not in QUIET]
    account, quotes = account_of(told), Quotes(result.file)

    def listed(groups: Sequence[Group]) -> Markup:
        places = [_place(group.first, result, linked) for group in groups]
        items = (_item(group, quotes, place) for group, place in zip(groups, places, strict=True))
        return element("ul", Markup("\n").join(element("li", item) for item in items), "tp-plain")

    if not told:
        return Markup("")
    if not account.open:
        return Markup("\n").join([heading("What was seen"), listed(account.notes), *_words(account.notes)])
    parts = [heading("What is wrong"), listed(account.open)]
    more = (*account.beside, *account.notes)
    if more:
        title = beside(account.beside) if account.beside else "What else was seen"
        parts.append(folded(title, listed(more)))
    parts += _words(account.open)
    return Markup("\n").join(parts)


def _words(groups: Sequence[Group]) -> list[Markup]:
    """Return a fold with the words of the first finding, where it has any that need to be explained."""
    words = ", ".join(hard_words(groups))
    return [folded(f"Words: {words}", Markup("\n").join(map(_explained, find(words))))] if words else []


def _explained(entry: Entry) -> Markup:
    """Return an entry of the glossary: paragraphs, and code as it stands."""
    prose, *fenced = re.split(r"^```\w*\n?", entry.text, flags=re.MULTILINE)
    inline = re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(" ".join(prose.split()))))
    shown = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", inline)
    shown = re.sub(r"\*(\w[^*]*)\*", r"<i>\1</i>", shown)
    return element("p", Markup(shown)) + Markup("").join(code([block.rstrip()]) for block in fenced[::2])


def _item(group: Group, quotes: Quotes, place: Callable[[str], Markup]) -> Markup:
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
        parts.append(element("div", place(quote.place), "tp-place"))
    if quote.lines:
        parts.append(code(quote.lines))
    if right := right_already(group):
        parts.append(element("div", f"✓ {right}", GOOD))
    if first.next_step:
        parts.append(Markup('<div class="tp-next"><b>Next:</b> {}</div>').format(one_line(first.next_step)))
    return Markup("\n").join(parts)


def _place(finding: Finding, result: PuzzleResult, linked: bool) -> Callable[[str], Markup]:
    """Return what makes HTML of a place in words: a link, where the file's lines stand on the same page."""
    line = finding.line if linked and finding.file in (None, str(result.file)) else None
    return escape if line is None else lambda place: link(line_anchor(result, line), place)
