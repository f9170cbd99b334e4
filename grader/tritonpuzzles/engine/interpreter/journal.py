"""What a batch of programs has overwritten, so that it can be undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritonpuzzles.engine.interpreter.values import Array


class Journal:
    """The old values of what changes: one by one, and of arrays that change all over, as they were in whole.

    A loop that stores to the same rows in every turn would otherwise keep each turn's.
    """

    def __init__(self) -> None:
        self.journal_bytes = 0
        self._steps: list[tuple[int, Any, Array, Array]] = []
        self._step_bytes: dict[int, int] = {}  # by the address of an array, as several may be views of one memory
        self._wholes: dict[int, tuple[Array, Array]] = {}

    def note(self, array: Array, index: Array) -> None:
        """Remember `array[index]` before it changes; the array lies in one piece."""
        old = array[index]
        address = array.ctypes.data if isinstance(array, np.ndarray) else 0  # what has no memory keeps nothing
        if address in self._wholes and self._wholes[address][0].nbytes >= array.nbytes:
            return
        self._steps.append((address, array, index, old))
        nbytes = old.nbytes + index.nbytes
        self.journal_bytes += nbytes
        self._step_bytes[address] = self._step_bytes.get(address, 0) + nbytes
        if address and self._step_bytes[address] > 2 * array.nbytes:
            self._keep_whole(address, array)

    def _keep_whole(self, address: int, array: Array) -> None:
        """Replace what was noted of an array by all that it held in the beginning."""
        if max(known.nbytes for at, known, _, _ in self._steps if at == address) > array.nbytes:
            return  # a view of other elements, which reaches farther: it will be noted again
        present = array.view(np.uint8)
        past = present.copy()
        for at, known, index, old in reversed(self._steps):
            if at == address:
                past[: known.nbytes].view(known.dtype)[index] = old
        _, before = self._wholes.get(address, (present, past))  # of a view that reached less far
        past[: before.nbytes] = before
        self._steps = [step for step in self._steps if step[0] != address]
        self.journal_bytes += past.nbytes - self._step_bytes.pop(address)
        self._wholes[address] = present, past

    def undo(self) -> None:
        """Put back what has changed, newest first."""
        for _, array, index, old in reversed(self._steps):
            array[index] = old
        for present, past in self._wholes.values():
            present[...] = past
        self._steps, self._step_bytes, self._wholes = [], {}, {}
        self.journal_bytes = 0
