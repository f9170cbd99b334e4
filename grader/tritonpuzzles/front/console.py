"""The two streams: results on stdout, everything else on stderr. Sixteen colours, no markup, no highlighting."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable
from typing import TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text

from tritonpuzzles.front.text import one_line

MAX_WIDTH = 100


def is_terminal() -> bool:
    """Return whether somebody sits before this program, with keys and a screen."""
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
    sys.stdout.write(json.dumps(data, indent=2, allow_nan=False) + "\n")


def stderr() -> Console:
    """Return a console on stderr."""
    return console_on(sys.stderr)


def printed(lines: Iterable[RenderableType], width: int) -> str:
    """Return what lines look like in so many columns, without colours and trailing spaces."""
    return _printed(lines, console_on(io.StringIO(), width, colour=False))


def printed_in_colour(lines: Iterable[RenderableType], width: int) -> str:
    """Return the same with the escape sequences of its colours, wherever this runs."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, color_system="standard", force_terminal=True, markup=False, emoji=False,
        highlight=False, force_jupyter=False,
    )  # fmt: skip
    return _printed(lines, console)


def _printed(lines: Iterable[RenderableType], console: Console) -> str:
    console.push_render_hook(NoTrailingSpaces())
    for line in lines:
        console.print(line)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def console_on(stream: TextIO, width: int | None = None, colour: bool = True) -> Console:
    """Return a console that interprets nothing in the text it is given.

    Args:
        stream: where it writes.
        width: in columns; by default the terminal's, at most `MAX_WIDTH`, for readable lines.
        colour: whether there may be colours: a notebook asks for them even where text goes to no screen.
    """
    found = Console(file=stream, force_jupyter=False)  # in a notebook rich would display HTML of its own
    return Console(
        file=stream,
        width=width or min(found.width, MAX_WIDTH),
        color_system="standard" if colour and found.color_system else None,
        markup=False,
        emoji=False,
        highlight=False,
        force_jupyter=False,
    )


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
            yield from _without_trailing_spaces(line)
            yield Segment.line()


def _without_trailing_spaces(line: list[Segment]) -> list[Segment]:
    kept = list(line)
    while kept and not kept[-1].text.strip(" "):
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(" "), kept[-1].style, kept[-1].control)
    return kept


def warn(sentence: str) -> None:
    """Say something on stderr that does not stop the command."""
    stderr().print(Text.assemble(("warning: ", "yellow"), one_line(sentence)), soft_wrap=True)


def tell_written(path: str) -> None:
    """Say on stderr, where no JSON is, that a file was written."""
    stderr().print(Text(f"Written to {one_line(path)}."), soft_wrap=True)
