"""The progress of a check: on stderr one line that vanishes on a terminal, plain lines if verbose, else nothing.

Who shows progress elsewhere, as a notebook does, takes the sentences instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.text import one_line

_taken_by: ContextVar[Callable[[str], None] | None] = ContextVar("taken_by", default=None)


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
    err = console.stderr()
    if not err.is_terminal:
        yield (lambda sentence: err.print(Text(one_line(sentence)), soft_wrap=True)) if verbose else (lambda _: None)
        return
    with err.status(Text("starting"), spinner="line") as status:
        yield lambda sentence: status.update(Text(one_line(sentence), no_wrap=True, overflow="ellipsis"))
