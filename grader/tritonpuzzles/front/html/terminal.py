"""What a command prints, as HTML: the same lines, with the colours of the report, which can be read on both themes."""

from __future__ import annotations

import io
from collections.abc import Callable

from markupsafe import Markup
from rich.segment import Segment
from rich.text import Text

from tritonpuzzles.front.console import console_on
from tritonpuzzles.front.html.report.markup import BAD, GOOD, OPEN, element

NOTE, DIM = "tp-note", "tp-dim"
CLASSES = {1: BAD, 2: GOOD, 3: OPEN, 4: NOTE, 5: NOTE, 6: NOTE}  # by the number of the colour; from 8 on it is bright


def terminal_html(text: str, reworded: Callable[[str], str] = str) -> Markup:
    """Return lines with the escape sequences of colours as `<pre>`; other sequences vanish.

    Args:
        text: as a terminal gets it.
        reworded: puts a piece of one colour into the words of where it is read.
    """
    console = console_on(io.StringIO(), colour=False)
    lines = (
        Markup("").join(_piece(segment, reworded) for segment in Text.from_ansi(line).render(console))
        for line in text.rstrip().split("\n")
    )
    return element("pre", Markup("\n").join(lines), "tp-terminal")


def _piece(segment: Segment, reworded: Callable[[str], str]) -> str:
    style = segment.style
    text = reworded(segment.text.rstrip("\n"))
    if style is None or not text.strip():
        return text
    colour = style.color.number if style.color is not None else None
    kind = CLASSES.get(colour % 8, "") if colour is not None else DIM if style.dim else ""
    marked = element("span", text, kind) if kind else text
    return element("b", marked) if style.bold else marked
