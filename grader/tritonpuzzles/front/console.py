"""The two streams: results on stdout, everything else on stderr. Sixteen colours, no markup, no highlighting."""

from __future__ import annotations

import io
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

from tritonpuzzles.front.text import ASCII_ERRORS, one_line, register_ascii_fallback

MAX_WIDTH = 100


def prepare_streams() -> None:
    """Make stdout and stderr write something for every character, whatever their encoding."""
    register_ascii_fallback()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ASCII_ERRORS)


def stdout() -> Console:
    """Return a console on stdout."""
    return console_on(sys.stdout)


def stderr() -> Console:
    """Return a console on stderr."""
    return console_on(sys.stderr)


def console_on(stream: TextIO, width: int | None = None) -> Console:
    """Return a console that interprets nothing in the text it is given.

    Args:
        stream: where it writes.
        width: in columns; by default the terminal's, at most `MAX_WIDTH`, for readable lines.
    """
    found = Console(file=stream)
    return Console(
        file=stream,
        width=width or min(found.width, MAX_WIDTH),
        color_system="standard" if found.color_system else None,
        markup=False,
        emoji=False,
        highlight=False,
    )


def warn(sentence: str) -> None:
    """Say something on stderr that does not stop the command."""
    stderr().print(Text.assemble(("warning: ", "yellow"), one_line(sentence)), soft_wrap=True)
