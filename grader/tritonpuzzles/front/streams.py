"""The process's own streams, whatever somebody has left of them, and what a line of theirs must not begin with."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from typing import TextIO, cast

from tritonpuzzles.front.text import ASCII_ERRORS, register_ascii_fallback

# A runner of GitHub's skips spaces, and obeys what follows; the second form is an older one.
_COMMAND = re.compile(r"(^|[\n\r])(\s*)(?=:(?::|$)|#(?:#(?:\[|$)|$))")


def open_missing() -> None:
    """Put nothing in the place of each standard stream that is closed: the next file that is opened would take it."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


def prepare_streams() -> None:
    """Make stdout and stderr write something for every character, whatever their encoding."""
    register_ascii_fallback()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ASCII_ERRORS)


class Plain:
    """A stream on which no line is a workflow command of GitHub's: a backslash stands before what would be one.

    Args:
        stream: where it writes; all else of it is as it was.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._begun = False  # whether the current line holds more than spaces

    def write(self, text: str) -> int:
        """Write text; a command may not come in two pieces either."""
        line = "x" if self._begun else ""  # what the current line holds already
        shown = _COMMAND.sub(r"\1\2\\", line + text)[len(line) :]
        self._begun = bool(re.split(r"[\n\r]", line + text)[-1].strip())
        self.stream.write(shown)
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


@contextlib.contextmanager
def plain_lines() -> Iterator[None]:
    """Let nothing that is printed inside a `with` block command GitHub's runner, but what goes to `bare(stdout)`."""
    with redirect_stdout(cast(TextIO, Plain(sys.stdout))), redirect_stderr(cast(TextIO, Plain(sys.stderr))):
        yield


def bare(stream: TextIO) -> TextIO:
    """Return the stream itself, on which commands are obeyed."""
    return stream.stream if isinstance(stream, Plain) else stream
