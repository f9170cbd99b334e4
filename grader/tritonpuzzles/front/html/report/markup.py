"""The pieces of HTML that every part of the report is made of. Text that is not `Markup` is escaped, always."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

from markupsafe import Markup

from tritonpuzzles.front.report.style import MARKS
from tritonpuzzles.results.check import Verdict

GOOD, BAD, OPEN = "tp-good", "tp-bad", "tp-open"
COLOURS = {Verdict.PASS: GOOD, Verdict.UNSOLVED: OPEN, Verdict.SKIP: OPEN}


@functools.cache
def style() -> Markup:
    """Return the style sheet of a report, in its element."""
    return Markup("<style>\n{}</style>").format(Markup(Path(__file__).with_name("style.css").read_text()))


def styled(content: Markup) -> Markup:
    """Return content in a block of its own, with the style sheet."""
    return Markup('<div class="tp-report">\n{}\n{}\n</div>').format(style(), content)


def element(name: str, content: str, of: str = "") -> Markup:
    """Return `<name class="of">content</name>`."""
    attribute = Markup(' class="{}"').format(of) if of else ""
    return Markup("<{0}{1}>{2}</{0}>").format(name, attribute, content)


def badge(verdict: Verdict) -> Markup:
    """Return a verdict's sign and word."""
    mark = MARKS[verdict]
    return element("span", f"{mark.sign} {mark.word}", f"tp-badge {COLOURS.get(verdict, BAD)}")


def next_html(step: str) -> Markup:
    """Return what to do next."""
    return Markup('<p class="tp-next"><b>Next:</b> {}</p>').format(step)


def heading(title: str, rest: str = "") -> Markup:
    """Return the title of a section, and what stands beside it."""
    beside = Markup(' <span class="tp-dim">{}</span>').format(rest) if rest else ""
    return Markup("<h4>{}{}</h4>").format(title, beside)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], of: str = "") -> Markup:
    """Return a table with a row of heads."""
    top = Markup("").join(element("th", head) for head in heads)
    body = Markup("\n").join(element("tr", Markup("").join(element("td", cell) for cell in row)) for row in rows)
    content = Markup("<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody>").format(top, body)
    return element("table", content, of)


def folded(summary: str, content: Markup) -> Markup:
    """Return content that a click opens."""
    return Markup("<details><summary>{}</summary>\n{}\n</details>").format(summary, content)


def code(lines: Iterable[str]) -> Markup:
    """Return lines of source as they stand."""
    return element("pre", "\n".join(lines))


def bar(share: float, of: str = "") -> Markup:
    """Return a bar of a share of the room there is; `share` from 0 to 1."""
    return Markup('<span class="tp-bar {}" style="width:{:.1f}%"></span>').format(of, 100 * min(max(share, 0.0), 1.0))
