"""The progress of a check on stderr: one line that vanishes on a terminal, plain lines if verbose, else nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.text import one_line


@contextmanager
def status_line(verbose: bool = False) -> Iterator[Callable[[str], None]]:
    """Yield a function that takes short sentences about what is being done."""
    err = console.stderr()
    if not err.is_terminal:
        yield (lambda sentence: err.print(Text(one_line(sentence)), soft_wrap=True)) if verbose else (lambda _: None)
        return
    with err.status(Text("starting"), spinner="line") as status:
        yield lambda sentence: status.update(Text(one_line(sentence), no_wrap=True, overflow="ellipsis"))
