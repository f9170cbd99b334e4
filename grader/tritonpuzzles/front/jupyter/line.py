"""One output of a cell: while a magic works, a line that says what is being done; in the end what came of it.

Nothing goes to stderr, which notebooks show on red, and nothing is left of the line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from markupsafe import Markup

from tritonpuzzles.front.notebook.shell import running_shell
from tritonpuzzles.front.page.markup import element
from tritonpuzzles.front.text import one_line
from tritonpuzzles.interrupts import uninterrupted

SECONDS = 0.1  # between two sentences: more of them nobody reads

Bundle = dict[str, str]  # what to show, by kind of data


class Line:
    """An output of the cell that runs. Where no kernel is, sentences are left out and results printed.

    Attributes:
        done: what has been done meanwhile and is to be said even where the rest is stopped.
    """

    def __init__(self) -> None:
        self.done: tuple[str, ...] = ()
        self._handle: Any = None
        self._said_at = 0.0

    def say(self, sentence: str) -> None:
        """Show what is being done, in place of what was said before."""
        if in_kernel() and time.monotonic() - self._said_at >= SECONDS:
            self._said_at = time.monotonic()
            self._put(bundle(f"{one_line(sentence)} ...", element("div", f"{one_line(sentence)} ...")))

    def end(self, plain: str, html: str) -> None:
        """Show what came of it, in the same place; what is shown later has a place of its own."""
        if in_kernel():
            self._put(bundle(plain, html))
        else:
            sys.stdout.write(f"{plain.rstrip()}\n")
        self._handle = None

    def rest(self, plain: str) -> None:
        """Show for now that the work is done, in the same place."""
        if self._handle is not None:
            self._put(bundle(plain, element("div", plain)))

    def _put(self, data: Bundle) -> None:
        from IPython.display import display

        with uninterrupted():  # a stop between an output and its handle would show "Stopped." in a place of its own
            if self._handle is None:
                self._handle = display(data, raw=True, display_id=True)
            else:
                self._handle.update(data, raw=True)


def bundle(plain: str, html: str) -> Bundle:
    """Return what to show as text and as HTML."""
    return {"text/plain": plain, "text/html": str(Markup(html))}


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
