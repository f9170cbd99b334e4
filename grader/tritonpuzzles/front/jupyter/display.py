"""What a notebook shows: prose as Markdown, pictures, and commands in the words of its magics."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from tritonpuzzles.front.check import CheckReport
from tritonpuzzles.front.cli import COMMANDS
from tritonpuzzles.front.text import one_line
from tritonpuzzles.front.workspace.progress import Seen

MAGICS = ("puzzle", "check", "hint", "solution", "words", "trace", "bench")
_COMMAND = re.compile(rf"\btritonpuzzles ({'|'.join(COMMANDS)})\b")


@dataclass(frozen=True, repr=False)
class Prose:
    """Markdown where it is rendered, plain text elsewhere."""

    markdown: str
    plain: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.plain)


def as_markdown(text: str) -> str:
    """Return foreign text as Markdown that says just this: no formula, no HTML, no emphasis."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", one_line(text))


def as_magics(text: str) -> str:
    """Return a sentence with commands as one writes them in a cell: `%hint 3`, `%tritonpuzzles list`."""
    return _COMMAND.sub(lambda found: f"%{found[1]}" if found[1] in MAGICS else f"%{found[0]}", text)


def seen_markdown(seen: Seen | None) -> list[str]:
    """Return the paragraphs with which a hint begins: what the last check saw, if it saw something."""
    if seen is None:
        return []
    place = f", line {seen.line}" if seen.line is not None else ""
    texts = [seen.message, *([seen.next_step] if seen.next_step else [])]
    return [f"**Your last check** {as_markdown(seen.code)}{place}", *map(as_markdown, texts)]


def in_notebook(report: CheckReport) -> CheckReport:
    """Return a report whose next steps are magics."""
    step = report.next_step and as_magics(report.next_step)
    return replace(report, next_step=step, closing=as_magics(report.closing))


def show_png(data: bytes) -> None:
    """Show a picture under the cell."""
    from IPython.display import Image, display

    display(Image(data))
