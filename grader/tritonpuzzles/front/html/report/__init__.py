"""The report as a fragment of HTML, for notebooks and pages: with its own style, for a light and a dark theme.

What the terminal shows and in the same words; beyond that, a table of every case. Where a sanitizer takes the style
away, plain headings, lists and tables are left.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tritonpuzzles.front.html.report.anchors import link, part_anchor, report_anchor
from tritonpuzzles.front.html.report.benchmark import benchmark_html, stars_html
from tritonpuzzles.front.html.report.cases import cases_html
from tritonpuzzles.front.html.report.dram import dram_html
from tritonpuzzles.front.html.report.findings import findings_html
from tritonpuzzles.front.html.report.markup import badge, element, next_html, styled
from tritonpuzzles.front.html.report.occupancy import occupancy_html
from tritonpuzzles.front.html.report.output import output_html
from tritonpuzzles.front.html.report.replay import replay_html
from tritonpuzzles.front.html.report.traffic import traffic_html
from tritonpuzzles.front.report import ON_CPU, about, cpu_only
from tritonpuzzles.front.report.confinement import confinement
from tritonpuzzles.front.report.summary import NEEDS_NO_MORE, label, remark
from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import PuzzleResult, Report, Verdict
from tritonpuzzles.results.words import plural

__all__ = ["report_html"]


def report_html(
    report: Report,
    *,
    next_step: str | None = None,
    link: tuple[str, str] | None = None,
    notes: Sequence[str] = (),
    question: Sequence[str] = (),
    closing: str = "",
    linked: bool = False,
) -> str:
    """Return a report as one `<div>`.

    Args:
        report: what the judge concluded.
        next_step: what to do next, a command or a sentence.
        link: words and address of what to open next, in its place.
        notes: sentences to say before the report.
        question: one to ask before the report, and its answers.
        closing: what to say below the report, as lines of a terminal.
        linked: on a page: findings lead to lines of the code that stands there, the summary to its parts.
    """
    parts = [element("p", harmless(note), "tp-dim") for note in notes]
    if question:
        parts.append(_question(question))
    several = len(report.results) != 1
    if several:
        parts.append(_summary(report, linked))
    for result in report.results:
        if not several or result.verdict not in NEEDS_NO_MORE:
            parts.append(result_html(result, linked))
    if cpu_only(report):
        parts.append(element("p", ON_CPU, "tp-dim"))
    if held := confinement(report):
        parts.append(element("p", held, "tp-dim"))
    if link is not None:
        parts.append(next_html(Markup('<a href="{1}">{0}</a>').format(*link)))
    elif next_step:
        parts.append(next_html(harmless(next_step)))
    if closing:
        parts.append(element("pre", harmless(closing.strip("\n"))))
    return str(styled(Markup("\n").join(parts)))


def result_html(result: PuzzleResult, linked: bool = False) -> Markup:
    """Return the part of the report on one file; of a stub only that it is one."""
    head = Markup("{} <b>{}</b>").format(badge(result.verdict), label(result))
    parts = [element("div", head, "tp-head"), element("div", about(result), "tp-dim")]
    if result.verdict is Verdict.UNSOLVED:
        parts += [element("p", harmless(finding.message)) for finding in result.findings]
    else:
        cases, found = cases_html(result), findings_html(result, linked)
        parts += [
            *([cases, found] if result.passed else [found, cases]),
            replay_html(result),
            traffic_html(result),
            dram_html(result),
            occupancy_html(result),
            benchmark_html(result),
            stars_html(result),
            output_html(result),
        ]
    return Markup("<section{}>{}</section>").format(
        Markup(' id="{}"').format(report_anchor(result)) if linked else "", Markup("\n").join(parts)
    )


def _question(question: Sequence[str]) -> Markup:
    """Return a question with its answers below it."""
    asked, *answers = (harmless(sentence) for sentence in question)
    listed = element("ul", Markup("").join(element("li", answer) for answer in answers))
    return element("div", element("b", asked) + listed, "tp-question")


def _links(result: PuzzleResult) -> Markup:
    below = link(part_anchor(result), "pictures and code")
    if result.verdict in NEEDS_NO_MORE:
        return element("td", below)
    return element("td", Markup("{}, {}").format(link(report_anchor(result), "report"), below))


def _summary(report: Report, linked: bool) -> Markup:
    """Return one sentence and one row per puzzle; on a page, with links to what is said of it and to its code."""
    passed = sum(result.passed for result in report.results)
    sentence = f"{passed} of {plural(len(report.results), 'puzzle')} {'passes' if passed == 1 else 'pass'}"
    verdict = Verdict.PASS if report.passed else Verdict.FAIL
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td>{}</tr>").format(
            badge(result.verdict), label(result), remark(result), _links(result) if linked else ""
        )
        for result in report.results
    )
    head = Markup('<div class="tp-head">{} <b>{}</b></div>').format(badge(verdict), sentence)
    return head + element("table", element("tbody", rows), "tp-summary")
