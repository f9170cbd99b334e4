"""Seconds that all compiles of one check may take together, and how ptxas is held to them.

ptxas takes minutes for a tile of a million elements, or a large one with a single warp. Compiles go from cheap to dear,
so that what is left out when the time is up is what costs most.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

from tritonpuzzles.insides import nvidia_compiler as nvidia


class CompileTimeoutError(Exception):
    """The compiler did not finish in the time that was left; says nothing about the kernel."""


class Budget:
    """Time to compile in.

    Args:
        seconds: for all that is compiled with it.
        clock: tells the seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock, self._end = clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; 0 when the time is up."""
        return max(0.0, self._end - self._clock())


class _Hurried:
    """Stands in for the module `subprocess` where Triton runs ptxas: what is run has so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return subprocess.run(*args, **{"timeout": self._seconds, **kwargs})

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)


@contextlib.contextmanager
def hurried(seconds: float | None) -> Iterator[None]:
    """End ptxas after so many seconds inside a `with` block; `None` gives it all the time it needs.

    Raises:
        CompileTimeoutError: it was ended.
    """
    if seconds is None:
        yield
        return
    nvidia.subprocess = _Hurried(seconds)
    try:
        yield
    except subprocess.TimeoutExpired as error:
        raise CompileTimeoutError(f"ptxas had not finished after {seconds:g} s") from error
    finally:
        nvidia.subprocess = subprocess
