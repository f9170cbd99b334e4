"""Protect work from interrupts: an interrupted import leaves a library that no longer works."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C, or a notebook's stop button, wait for the end of a `with` block.

    Raises KeyboardInterrupt at the end, if it was pressed.
    """
    if current_thread() is not main_thread():
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
