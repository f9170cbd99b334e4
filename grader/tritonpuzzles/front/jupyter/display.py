"""What a notebook shows: reports, prose as Markdown, pictures, and commands in the words of its magics.

While a magic runs, one output of the cell shows its progress; at the end the result replaces it. Nothing is written to
stderr, which notebooks show in red.
"""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rich.text import Text

from tritonpuzzles.front.check import CheckReport
from tritonpuzzles.front.cli import COMMANDS
from tritonpuzzles.front.console import progress_to
from tritonpuzzles.front.notebook.line import run_command, running_shell
from tritonpuzzles.front.page.html import html, terminal_html
from tritonpuzzles.front.page.markup import element
from tritonpuzzles.front.page.model import Blocks, Next, Paragraph
from tritonpuzzles.front.text import harmless, one_line
from tritonpuzzles.front.workspace.progress import Seen
from tritonpuzzles.interrupts import uninterrupted

MAGICS = ("check", "hint", "solution", "words", "trace", "bench")
TERMINAL = ("watch", "completion")  # need one
_COMMAND = re.compile(rf"\btritonpuzzles ({'|'.join(name for name in COMMANDS if name not in TERMINAL)})\b")
SECONDS = 0.1  # least time between two progress sentences


class Line:
    """An output of the running cell. Outside a notebook, progress is not shown and results are printed."""

    def __init__(self) -> None:
        self.done: tuple[str, ...] = ()  # what the magic has finished, in sentences: shown even if it is interrupted
        self._handle: Any = None
        self._said_at = 0.0

    def say(self, sentence: str) -> None:
        """Show the current progress, in place of the previous sentence."""
        if in_kernel() and time.monotonic() - self._said_at >= SECONDS:
            self._said_at = time.monotonic()
            self._put(f"{one_line(sentence)} ...", element("div", f"{one_line(sentence)} ..."))

    def end(self, plain: str, html: str) -> None:
        """Show the result, in place of the progress; later calls open a new output."""
        if in_kernel():
            self._put(plain, html)
        else:
            sys.stdout.write(f"{plain.rstrip()}\n")
        self._handle = None

    def rest(self, plain: str) -> None:
        """Show for now, in place of the progress, that the work is done; nothing if no progress was shown."""
        if self._handle is not None:
            self._put(plain, element("div", plain))

    def _put(self, plain: str, html: str) -> None:
        from IPython.display import display

        data = {"text/plain": plain, "text/html": str(html)}
        with uninterrupted():  # an interrupt between an output and its handle would show "Stopped." in another output
            if self._handle is None:
                self._handle = display(data, raw=True, display_id=True)
            else:
                self._handle.update(data, raw=True)


def in_kernel() -> bool:
    """Return whether a notebook's kernel is running this, and not a terminal or a test."""
    return getattr(running_shell(), "kernel", None) is not None


_current: ContextVar[Line | None] = ContextVar("line", default=None)


@contextmanager
def new_line() -> Iterator[Line]:
    """Make a line, the current one for the length of a `with` block."""
    line = Line()
    token = _current.set(line)
    try:
        yield line
    finally:
        _current.reset(token)


def current_line() -> Line:
    """Return the line of the magic that runs."""
    return _current.get() or Line()


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
    """A report that replaces the progress line."""

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
    place = f" ({as_markdown(seen.place)})" if seen.place else ""
    steps = [f"Next: {as_markdown(seen.next_step)}"] if seen.next_step else []
    return [f"**What your last check found{place}**", as_markdown(seen.message), *steps]


def in_notebook(report: CheckReport, line: Line, link: tuple[str, str] | None = None) -> ShownReport:
    """Return a report for display in a cell: it replaces a line, and its next steps are magics or a link."""
    step = report.next_step and as_magics(report.next_step)
    told = replace(report, next_step=step, link=link, closing=as_magics(report.closing))
    line.rest(repr(told))
    return ShownReport(**{one.name: getattr(told, one.name) for one in fields(told)}, line=line)


def show_sentences(line: Line, sentence: str, step: str | None = None) -> None:
    """Show a sentence, and what to do next."""
    said = harmless(sentence)
    blocks: Blocks = [Paragraph(said), *([Next(harmless(step))] if step else [])]
    plain = f"{said}\nNext: {harmless(step)}" if step else said
    line.end(plain, html(blocks))


def show_png(data: bytes) -> None:
    """Show a picture under the cell."""
    from IPython.display import Image, display

    display(Image(data))


def run(arguments: Sequence[str]) -> None:
    """Run a command of the terminal.

    Raises:
        Exception: what stops the command, as `front.cli.main` knows it.
    """
    if not in_kernel():
        return run_command(arguments)
    line, printed = current_line(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), progress_to(line.say):
        try:
            run_command(arguments)
        finally:
            if printed.getvalue():
                show_printed(line, printed.getvalue())


def show_printed(line: Line, text: str) -> None:
    """Show what a command has printed, its commands in the words of a notebook."""
    plain = "\n".join(Text.from_ansi(one).plain for one in text.rstrip().split("\n"))
    line.end(as_magics(plain), terminal_html(text, as_magics))
