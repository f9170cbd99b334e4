"""Speed on a GPU: a bar per contender, the rate as shares of what can be reached, and the stars for it."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import GOOD, OPEN, bar, element, heading, table
from tritonpuzzles.front.report.benchmark import LABELS, contenders, sentence, titled
from tritonpuzzles.front.report.stars import star_sentence, star_signs
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.results.check import PuzzleResult


def benchmark_html(result: PuzzleResult) -> Markup:
    """Return the section on speed; nothing where none was measured."""
    found = result.benchmark
    if found is None:
        return Markup("")
    rates = contenders(found)
    most = max(rates.values()) or 1.0
    rows = [
        [one_line(name), f"{significant(rate)} {one_line(found.unit)}", bar(rate / most, GOOD if not index else "")]
        for index, (name, rate) in enumerate(rates.items())
    ]
    labels = [element("p", LABELS.get(label, one_line(label)), OPEN) for label in found.labels]
    parts = [heading(*titled(found)), table(("", "", ""), rows, "tp-numbers"), element("p", sentence(found)), *labels]
    return Markup("\n").join(parts)


def stars_html(result: PuzzleResult) -> Markup:
    """Return what a right result has earned, and what would earn more; nothing for any other."""
    if not result.passed or not result.stars:
        return Markup("")
    signs = element("span", star_signs(result.stars), f"tp-stars {OPEN}")
    return Markup("<p><b>Stars</b> {} {}</p>").format(signs, star_sentence(result))
