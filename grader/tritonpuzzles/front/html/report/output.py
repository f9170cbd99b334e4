"""What the learner's code printed: capped, clearly theirs."""

from __future__ import annotations

from markupsafe import Markup

from tritonpuzzles.front.html.report.markup import code, element, heading
from tritonpuzzles.front.report.output import SHOWN_VERBOSE
from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.words import plural

SHOWN_CHARACTERS = 40_000


def output_html(result: PuzzleResult) -> Markup:
    """Return the section with the learner's own output; nothing where there was none."""
    lines = harmless(result.output[:SHOWN_CHARACTERS]).strip("\n").split("\n")
    if not any(line.strip() for line in lines):
        return Markup("")
    hidden = len(lines) - SHOWN_VERBOSE
    more = plural(hidden, "more line") if hidden > 0 else "more" if len(result.output) > SHOWN_CHARACTERS else ""
    end = element("p", f"... {more}", "tp-dim") if more else Markup("")
    return heading("Your code printed") + element("div", code(lines[:SHOWN_VERBOSE]), "tp-output") + end
