"""Output of a kernel: `print`, `tl.device_print` and `tl.static_print`, labelled by program.

A batch may be undone, and a launch started again, so nothing is printed before the launch has finished or failed;
lines then come in launch order, as they would if programs ran one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.values import Handle


class Printer:
    """Collects the lines of a batch, then of a launch; `flush` prints them."""

    def __init__(self) -> None:
        self._pending: list[tuple[int, str]] = []  # linear program number, text
        self._lines: list[tuple[int, str]] = []

    def device_print(self, batch: Batch, prefix: str, hexadecimal: bool, values: list[Handle]) -> None:
        """Print values of every live program: `(3, 0, 0) x: [1. 2.]`."""
        show = _hexadecimal if hexadecimal else str
        for i in batch.live_indices:
            for text in [show(value.data[i if len(value.data) > 1 else 0]) for value in values] or [""]:
                self._pending.append((int(batch.linear[i]), f"{batch.program(i)} {prefix.strip()} {text}".rstrip()))

    def python_print(self, batch: Batch, *values: Any, sep: str | None = " ", **options: Any) -> None:
        """Stand in for `print` inside a kernel."""
        separator = " " if sep is None else sep
        for i in batch.live_indices:
            text = separator.join(_text(value, i) for value in values)
            self._pending.append((int(batch.linear[i]), f"{batch.program(i)} {text}"))

    def static_print(self, *values: Any, sep: str | None = " ", **options: Any) -> None:
        """Stand in for `tl.static_print`: the compiler prints once, not once per program."""
        text = (" " if sep is None else sep).join(str(getattr(value, "value", value)) for value in values)
        if (0, text) not in self._lines and (0, text) not in self._pending:
            self._pending.append((0, text))

    def commit(self) -> None:
        """Keep what the batch has collected."""
        self._lines += self._pending
        self._pending = []

    def drop(self) -> None:
        """Forget what the batch has collected."""
        self._pending = []

    def clear(self) -> None:
        """Forget what the launch has collected."""
        self._lines, self._pending = [], []

    def flush(self) -> None:
        """Print what the launch has collected, in launch order."""
        for _, text in sorted(self._lines, key=lambda line: line[0]):
            print(text)
        self.clear()


def _text(value: Any, program: int) -> str:
    if not isinstance(value, tl.tensor):
        return str(getattr(value, "value", value))
    data = value.handle.data
    return str(data[program if len(data) > 1 else 0])


def _hexadecimal(value: Any) -> str:
    return np.array2string(np.asarray(value), formatter={"all": _hex_number})


def _hex_number(x: Any) -> str:
    if isinstance(x, np.floating):
        return float(x).hex()
    width = 2 * np.asarray(x).dtype.itemsize
    return f"0x{int(x) & ((1 << (4 * width)) - 1):0{width}x}"
