"""The compile stage of one file: the seconds that it has, what the compiler is at, what is said of a bad end."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.workers.endings import compiler_crashed, never_compiled
from tritonpuzzles.results.check import Finding

COMPILING = 60.0  # seconds for one launch on one target; a usual one takes a tenth of a second
COMPILING_FAILED = 10.0  # of a file that fails already: all that one waits for is more of the same
INSPECTING = 60.0  # where the compiler's figures are what was asked for
IN_ALL = 4  # times as many seconds for all launches
COMPILER_GRACE = 5.0  # the engine holds itself to these seconds, but nothing stops the compiler's own passes
CRASHES = tuple(-number for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE))


class Compiling:
    """The stage, from its beginning.

    Args:
        each: seconds for one launch on one target.
        file, targets: what is compiled, and for what.

    Attributes:
        seconds: for all launches.
        launch: what the compiler is at, in words.
    """

    def __init__(self, each: float, file: Path, targets: Sequence[str]) -> None:
        self.each, self.seconds = each, IN_ALL * each
        self._submitted, self._targets = str(file), targets
        self._end = time.monotonic() + self.seconds + COMPILER_GRACE
        self.begin("the first kernel")

    def begin(self, launch: str, file: str | None = None, line: int | None = None) -> None:
        """Note what the compiler is at from now on, and where the kernel stands."""
        self.launch, self._file, self._line = launch, file or self._submitted, line
        self._launch_end = time.monotonic() + self.each * max(1, len(self._targets)) + COMPILER_GRACE

    @property
    def left(self) -> float:
        """Seconds until the engine is ended."""
        return max(0.0, min(self._end, self._launch_end) - time.monotonic())

    def timed_out(self) -> Finding:
        """Return what is said of an engine that had to be ended: nobody knows what would have come of it."""
        return replace(
            never_compiled(self.launch, " and ".join(self._targets), self.each), file=self._file, line=self._line
        )

    def crashed(self, returncode: int) -> Finding:
        """Return what is said of one that a crash of the compiler ended."""
        return replace(
            compiler_crashed(self.launch, " or ".join(self._targets), returncode), file=self._file, line=self._line
        )
