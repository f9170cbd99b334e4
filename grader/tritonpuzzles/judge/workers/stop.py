"""A word from another thread that a check shall end: whatever waits for a worker wakes up and raises."""

from __future__ import annotations

import contextlib
import os
import select


class StoppedError(Exception):
    """A check was asked to end before it did."""


class Stop:
    """A pipe with something in it as long as what is running shall end.

    Args:
        pipe: its ends, to share one with another process; a new one if `None`.

    Attributes:
        pipe: its ends.
    """

    def __init__(self, pipe: tuple[int, int] | None = None) -> None:
        self.pipe = self._asked, self._ask = pipe or os.pipe()
        for descriptor in self.pipe:
            os.set_blocking(descriptor, False)

    def fileno(self) -> int:
        """Return what becomes readable when somebody asks."""
        return self._asked

    def ask(self) -> None:
        """Ask what is running to end; from any thread or process."""
        with contextlib.suppress(BlockingIOError):  # asked many times already
            os.write(self._ask, b".")

    def take_back(self) -> None:
        """Let what begins now run."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._asked, 4096):
                pass

    def heed(self) -> None:
        """Go on, unless somebody asked.

        Raises:
            StoppedError: if somebody did.
        """
        if select.select([self._asked], [], [], 0)[0]:
            raise StoppedError

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._asked)
        os.close(self._ask)
