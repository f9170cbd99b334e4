"""Seconds that the compiler may take, for one launch and for all of a check, and how it is held to them.

A signal ends what is Python or waits for ptxas. Passes of Triton and LLVM run to their end: who started the process has
to end it. Either may take minutes, for a tile of a million elements or a large one with a single warp.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

SHORTEST = 1e-3  # seconds: 0 would set no alarm
AGAIN = 1.0  # seconds: what is raised while Python finalises an object is lost


class CompileTimeoutError(BaseException):
    """The compiler did not finish in the time that was left; says nothing about the kernel.

    No `Exception`: Triton takes each of those for a fault of the kernel.
    """


class Budget:
    """Time to compile in.

    Args:
        seconds: for all that is compiled with it.
        each: for one launch and target, as many at most.
        clock: tells the seconds.
    """

    def __init__(self, seconds: float, each: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.each = seconds, min(seconds, seconds if each is None else each)
        self._clock, self._end = clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left for one launch; 0 when the time for all is up."""
        return min(self.each, max(0.0, self._end - self._clock()))

    @property
    def over(self) -> str:
        """Which time is up, in words, where something was not done in it."""
        return f"the {self.each:g} s for it are over" if self.left else f"the {self.seconds:g} s for all are over"


@contextlib.contextmanager
def hurried(seconds: float | None) -> Iterator[None]:
    """End the compiler after so many seconds inside a `with` block; `None` gives it all the time it needs.

    Only the main thread hears signals; in another one nothing is ended.

    Raises:
        CompileTimeoutError: it was ended.
    """
    if seconds == 0:
        raise CompileTimeoutError("the time is up")
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise CompileTimeoutError(f"the compiler had not finished after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, SHORTEST), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
