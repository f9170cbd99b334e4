"""A GPU of this machine, for files that are checked at once: several share the card, but one is timed alone.

A timing beside other work is meaningless. So a file that is to be timed waits until no other runs on the card, and
files that arrive meanwhile wait for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

MOST = 4  # files on a card: each has a context of half a GB, and large cases


class Card:
    """One GPU.

    Args:
        name: for CUDA_VISIBLE_DEVICES; all GPUs that this process sees if `None`.
        device: PyTorch's name for it in this process. Large cases are drawn on the card on which the file runs: on
            another card they would disturb a timing.
    """

    def __init__(self, name: str | None = None, device: str = "cuda") -> None:
        self.name, self.device = name, device
        self._changed = Condition()
        self._running = self._waiting = 0
        self._timing = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Use the card together with others for the length of a `with` block."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._timing or self._waiting) and self._running < MOST)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Use the card alone for the length of a `with` block, nested in one of `shared`."""
        with self._changed:
            self._running -= 1
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: not (self._timing or self._running))
            self._waiting -= 1
            self._timing = True
        try:
            yield
        finally:
            with self._changed:
                self._timing = False
                self._running += 1
                self._changed.notify_all()


def card_of(number: int) -> Card:
    """Return a GPU by its number among those that this process sees, as `CUDA_VISIBLE_DEVICES` lists them."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return Card(named.split(",")[number].strip() if named else str(number), f"cuda:{number}")
