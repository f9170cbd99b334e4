"""The stop button: a magic that is interrupted ends with one word, and the cells behind it do not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tritonpuzzles.front.jupyter.display import show_sentences
from tritonpuzzles.front.jupyter.line import Line

STOPPED = "Stopped."


class StoppedByHandError(Exception):
    """Somebody pressed the stop button; nothing of it is to be shown any more."""


def install(set_custom_exc: Callable[[tuple[type[BaseException], ...], Callable[..., Any]], None]) -> None:
    """Have a shell show nothing of a stop, and yet tell its front end that the cell has not ended well."""
    set_custom_exc((StoppedByHandError,), _show_nothing)


def show_stopped(line: Line) -> None:
    """Say so, in place of what was being done, and what had been done by then."""
    show_sentences(line, " ".join([*line.done, STOPPED]))


def _show_nothing(*_: object, tb_offset: int | None = None) -> list[str]:
    """Stand in for a traceback."""
    return []
