"""The two streams: results on stdout, progress and all else on stderr. Sixteen colours, no markup, no highlighting.

Both write something for every character, and no line of theirs is a command where a runner of GitHub's reads them.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TextIO, cast

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from tritonpuzzles.front.text import one_line, to_ascii

if TYPE_CHECKING:
    from rich.status import Status

MAX_WIDTH = 100
ASCII_ERRORS = "tritonpuzzles.ascii"
# A runner of GitHub's skips spaces, and obeys what follows; the second form is an older one.
_WORKFLOW_COMMAND = re.compile(r"(^|[\n\r])(\s*)(?=:(?::|$)|#(?:#(?:\[|$)|$))")
_taken_by: ContextVar[Callable[[str], None] | None] = ContextVar("taken_by", default=None)
_spinning: ContextVar[Status | None] = ContextVar("spinning", default=None)


def is_terminal() -> bool:
    """Return whether both stdin and stdout are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def stdout() -> Console:
    """Return a console on stdout, whose lines end where their text does."""
    console = console_on(sys.stdout)
    console.push_render_hook(NoTrailingSpaces())
    return console


def show(lines: Callable[[int], Iterable[RenderableType]]) -> None:
    """Print lines on stdout; `lines` makes them for its width."""
    out = stdout()
    for line in lines(out.width):
        out.print(line)


def show_json(data: object) -> None:
    """Print one JSON object on stdout, in ASCII, and nothing else."""
    sys.stdout.write(json.dumps(data, indent=2, allow_nan=False, default=str) + "\n")


def stderr() -> Console:
    """Return a console on stderr."""
    return console_on(sys.stderr)


def printed(lines: Iterable[RenderableType], width: int, *, colour: bool = False) -> str:
    """Return lines as they look in a given number of columns, without trailing spaces.

    With the escape sequences of their colours, wherever this runs, or without any, though a notebook asks for them.
    """
    stream = io.StringIO()
    console = _plain_console(stream, width, colour, force_terminal=colour or None)
    console.push_render_hook(NoTrailingSpaces())
    for line in lines:
        console.print(line)
    return stream.getvalue()


def console_on(stream: TextIO, width: int | None = None) -> Console:
    """Return a console that interprets nothing in its text, by default as wide as the terminal up to `MAX_WIDTH`."""
    found = Console(file=stream, force_jupyter=False)  # otherwise rich would display its own HTML in a notebook
    return _plain_console(stream, width or min(found.width, MAX_WIDTH), bool(found.color_system))


def _plain_console(stream: TextIO, width: int, colour: bool, force_terminal: bool | None = None) -> Console:
    return Console(
        file=stream, width=width, color_system="standard" if colour else None, force_terminal=force_terminal,
        markup=False, emoji=False, highlight=False, force_jupyter=False,
    )  # fmt: skip


class NoTrailingSpaces(RenderHook):
    """Cuts the spaces with which rich fills its lines, so that copies and pipes carry text only."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Wrap what is about to be printed."""
        return [_Trimmed(renderable) for renderable in renderables]


class _Trimmed:
    def __init__(self, content: ConsoleRenderable) -> None:
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.overflow == "ignore":  # soft_wrap: the terminal breaks the line
            yield self._content
            return
        for line in console.render_lines(self._content, options, pad=False):
            while line and not line[-1].text.strip(" "):
                line.pop()
            if line:
                last = line.pop()
                line.append(Segment(last.text.rstrip(" "), last.style, last.control))
            yield from line
            yield Segment.line()


def warn(sentence: str) -> None:
    """Say something on stderr that does not stop the command."""
    begin, err = "warning: ", stderr()
    text = Text(fitting(begin + one_line(sentence), err))
    text.stylize("yellow", 0, len(begin))
    with no_status():
        err.print(text, soft_wrap=True)


def fitting(text: str, console: Console) -> str:
    """Return text with its lines broken between words where a terminal has no room; what is piped stays whole."""
    if not console.is_terminal:
        return text
    lines = text.split("\n")
    fill = partial(textwrap.fill, width=console.width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(fill, lines))


def tell_written(path: str) -> None:
    """Say on stderr, where no JSON is, that a file was written."""
    stderr().print(Text(f"Written to {one_line(path)}."), soft_wrap=True)


def open_missing() -> None:
    """Open /dev/null for each closed standard stream; otherwise the next opened file would get its descriptor."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def prepare_streams() -> None:
    """Make stdout and stderr write something for every character, whatever their encoding."""
    codecs.register_error(ASCII_ERRORS, to_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ASCII_ERRORS)


class Plain:
    """A stream on which no line is a workflow command of GitHub's: a backslash stands before what would be one."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._begun = False  # whether the current line holds more than spaces

    def write(self, text: str) -> int:
        """Write text; a command may not come in two pieces either."""
        line = "x" if self._begun else ""  # stands for what the current line already contains
        shown = _WORKFLOW_COMMAND.sub(r"\1\2\\", line + text)[len(line) :]
        self._begun = bool(re.split(r"[\n\r]", line + text)[-1].strip())
        self.stream.write(shown)
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


@contextmanager
def plain_lines() -> Iterator[None]:
    """Let nothing that is printed inside a `with` block command GitHub's runner, but what goes to `bare(stdout)`."""
    with redirect_stdout(cast(TextIO, Plain(sys.stdout))), redirect_stderr(cast(TextIO, Plain(sys.stderr))):
        yield


def bare(stream: TextIO) -> TextIO:
    """Return the stream itself, on which commands are obeyed."""
    return stream.stream if isinstance(stream, Plain) else stream


@contextmanager
def progress_to(say: Callable[[str], None]) -> Iterator[None]:
    """Have the sentences of every `status_line` in the block go to a function, and nothing to stderr."""
    token = _taken_by.set(say)
    try:
        yield
    finally:
        _taken_by.reset(token)


@contextmanager
def status_line(verbose: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield a function that takes short sentences about what is being done."""
    if (taken_by := _taken_by.get()) is not None:
        yield taken_by
        return
    err = stderr()
    if not err.is_terminal:
        yield (lambda sentence: err.print(Text(one_line(sentence)), soft_wrap=True)) if verbose else (lambda _: None)
        return
    with err.status(Text("starting"), spinner="line") as status:
        token = _spinning.set(status)
        try:
            yield lambda sentence: status.update(Text(one_line(sentence), no_wrap=True, overflow="ellipsis"))
        finally:
            _spinning.reset(token)


@contextmanager
def no_status() -> Iterator[None]:
    """Leave nothing of a status line on the screen while something else is printed there."""
    status = _spinning.get()
    if status is None:
        yield
        return
    status.stop()
    try:
        yield
    finally:
        status.start()
