"""What a notebook shows: reports, prose as Markdown, pictures, and commands in the words of its magics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import Any

from markupsafe import Markup

from tritonpuzzles.front.check import CheckReport
from tritonpuzzles.front.cli import COMMANDS, explained
from tritonpuzzles.front.html.report.markup import element, next_html, styled
from tritonpuzzles.front.jupyter.line import Line
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.progress import Seen

MAGICS = ("check", "hint", "solution", "words", "trace", "bench")
TERMINAL = ("watch", "completion")  # need one
_COMMAND = re.compile(rf"\btritonpuzzles ({'|'.join(name for name in COMMANDS if name not in TERMINAL)})\b")


@dataclass(frozen=True, repr=False)
class Prose:
    """Markdown where it is rendered, plain text elsewhere."""

    markdown: str
    plain: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.plain)


@dataclass(frozen=True, repr=False)
class ShownReport(CheckReport):
    """A report that takes the place of the line which said what was being done."""

    line: Line = field(default_factory=Line, compare=False)

    def _ipython_display_(self) -> None:
        self.line.end(self.text, self._repr_html_())


def as_markdown(text: str) -> str:
    """Return foreign text as Markdown that says just this: no formula, no HTML, no emphasis."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", one_line(text))


def as_magics(text: str) -> str:
    """Return a sentence with commands as one writes them in a cell: `%hint 3`, `%tritonpuzzles list`."""
    if text == "tritonpuzzles init":
        return "%workspace"
    return _COMMAND.sub(lambda found: f"%{found[1]}" if found[1] in MAGICS else f"%{found[0]}", text)


def seen_markdown(seen: Seen | None) -> list[str]:
    """Return the paragraphs with which a hint begins: what the last check saw, if it saw something."""
    if seen is None:
        return []
    place = f", {as_markdown(seen.place)}" if seen.place else ""
    texts = [seen.message, *([seen.next_step] if seen.next_step else [])]
    return [f"**Your last check that did not pass** {as_markdown(seen.code)}{place}", *map(as_markdown, texts)]


def in_notebook(report: CheckReport, line: Line, link: tuple[str, str] | None = None) -> ShownReport:
    """Return a report as a cell shows it: in the place of a line, with magics or a link as next steps."""
    step = report.next_step and as_magics(report.next_step)
    told = replace(report, next_step=step, link=link, closing=as_magics(report.closing))
    line.rest(repr(told))
    return ShownReport(**{one.name: getattr(told, one.name) for one in fields(told)}, line=line)


def show_error(error: Exception, line: Line) -> None:
    """Say what stopped a magic and what to do about it: sentences, and no traceback."""
    message, step, _ = explained(error)
    show_sentences(line, f"tritonpuzzles: {message}", step and as_magics(step))


def show_sentences(line: Line, sentence: str, step: str | None = None) -> None:
    """Show a sentence, and what to do next."""
    said = harmless(sentence)
    parts = [element("p", said), *([next_html(harmless(step))] if step else [])]
    plain = f"{said}\nNext: {harmless(step)}" if step else said
    line.end(plain, str(styled(Markup("\n").join(parts))))


def show_png(data: bytes) -> None:
    """Show a picture under the cell."""
    from IPython.display import Image, display

    display(Image(data))
