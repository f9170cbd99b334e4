"""What the learner's code printed: capped, clearly theirs, and nothing in it obeyed."""

from __future__ import annotations

from rich.text import Text

from tritonpuzzles.front.report.style import Lines, View, code_line, heading, indented
from tritonpuzzles.front.text import harmless
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.words import plural

SHOWN = 12
SHOWN_CHARACTERS = 4000
SHOWN_VERBOSE = 400


def output_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the section with the learner's own output; nothing where there was none."""
    printed = harmless(result.output[: SHOWN_CHARACTERS * (50 if view.verbose else 1)]).strip("\n").split("\n")
    if not any(line.strip() for line in printed):
        return []
    limit = SHOWN_VERBOSE if view.verbose else SHOWN
    lines = heading("Your code printed")
    lines += [indented(code_line(f"│ {line}")) for line in printed[:limit]]
    hidden = len(printed) - limit
    cut = len(result.output) > SHOWN_CHARACTERS and not view.verbose
    if hidden > 0 or cut:
        more = "more" if cut else plural(hidden, "more line")
        lines.append(indented(Text(f"│ ... {more}" + ("" if view.verbose else " (--verbose shows more)"), style="dim")))
    return lines
