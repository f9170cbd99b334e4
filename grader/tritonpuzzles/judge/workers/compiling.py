"""The compile stage of one file: the seconds that it has, what the compiler is at, what is said of a bad end."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.workers.endings import compiler_crashed, never_compiled
from tritonpuzzles.results.check import Finding

COMPILING = 60.0  # seconds for one kernel; a usual one takes half a second for a GPU
COMPILING_FAILED = 40.0  # for one of a file that fails already: all that one waits for is more of the same
KERNELS = 3  # that may take so long in one check
INSPECTING = 150.0  # where the compiler's figures are what was asked for
COMPILER_GRACE = 5.0  # the engine holds itself to these seconds, but nothing stops the compiler's own passes
CRASHES = tuple(-number for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE))


class Compiling:
    """The stage, from its beginning.

    Args:
        seconds: for one kernel.
        file, targets: what is compiled, and for what.

    Attributes:
        launch: what the compiler is at, in words.
    """

    def __init__(self, seconds: float, file: Path, targets: Sequence[str]) -> None:
        self.seconds, self._file, self._targets = seconds, file, targets
        self._end = time.monotonic() + KERNELS * seconds
        self.begin("the first kernel")

    def begin(self, launch: str) -> None:
        """Note what the compiler is at from now on."""
        self.launch = launch
        self._at_most = time.monotonic() + self.seconds + COMPILER_GRACE

    @property
    def left(self) -> float:
        """Seconds until the engine is ended."""
        return max(0.0, min(self._end, self._at_most) - time.monotonic())

    def timed_out(self) -> Finding:
        """Return what is said of an engine that had to be ended: nobody knows what would have come of it."""
        return replace(never_compiled(self.launch, " and ".join(self._targets), self.seconds), file=str(self._file))

    def crashed(self, returncode: int) -> Finding:
        """Return what is said of one that a crash of the compiler ended."""
        return replace(compiler_crashed(self.launch, " or ".join(self._targets), returncode), file=str(self._file))
