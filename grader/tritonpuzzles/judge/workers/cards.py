"""The GPUs of this machine, for files that are checked at once: several share a card, but one is timed alone.

A timing beside other work is meaningless. So a file that is to be timed waits until no other runs on the card, and
files that arrive meanwhile wait for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock

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
        self.files = 0  # files assigned to it that are not done

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


class Cards:
    """All GPUs that this process sees; without one, a single placeholder."""

    def __init__(self, count: int) -> None:
        named = os.environ.get("CUDA_VISIBLE_DEVICES")
        names = named.split(",")[:count] if named else [str(number) for number in range(count)]
        self._cards = [Card(name.strip(), f"cuda:{number}") for number, name in enumerate(names)] or [Card()]
        self._giving = Lock()

    @contextmanager
    def one(self) -> Iterator[Card]:
        """Yield, for the check of one file, the card with the fewest files."""
        with self._giving:
            card = min(self._cards, key=lambda one: one.files)
            card.files += 1
        try:
            yield card
        finally:
            with self._giving:
                card.files -= 1
