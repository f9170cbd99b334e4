"""Errors of interpreted kernels, and exceptions that the engine uses as signals to itself.

Signals derive from BaseException so that neither a learner's `except` nor Triton's own catches them.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tritonpuzzles.results.words import are, listed


class KernelError(Exception):
    """A kernel failed, at a line of the learner's file. The original exception is the `__cause__`."""

    def __init__(
        self,
        message: str,  # plain sentence, without the place
        file: str | None = None,  # of the innermost line outside Triton and the engine, if there is one
        line: int | None = None,
        *,
        program: tuple[int, int, int] | None = None,  # that failed, if known: `(3, 0, 0)`
        code: str = "kernel-error",  # or that of `endless-loop`, `needless-programs`, ..., see `launch.CODES`
    ) -> None:
        super().__init__(message)
        self.message, self.file, self.line = message, file, line
        self.program, self.code = program, code

    @property
    def is_left_out(self) -> bool:
        """Whether an autotuner leaves out a configuration that raises it."""
        return isinstance(self.__cause__, StaticAssertError)


class NeedlessProgramsError(KernelError):
    """A launch of far more programs than there is work for."""

    def __init__(self, kernel: str, programs: int, why: str) -> None:
        super().__init__(f"{kernel} is launched with {programs:,} programs, and {why}.", code="needless-programs")
        self.programs = programs


class StaticAssertError(AssertionError):
    """`tl.static_assert` does not hold; an autotuner skips such a configuration."""


class PromiseError(AssertionError):
    """A promise of the kernel to the compiler is broken."""


class MisalignedError(AssertionError):
    """An address is not a multiple of the access's size: a GPU aborts the kernel."""

    def __init__(self, width: int) -> None:
        super().__init__(f"{width} bytes are accessed at an address that is no multiple of {width}")


class UnsupportedOperation(Exception):
    """The interpreter does not implement a builder operation: it is refused by name, never computed wrongly."""

    def __init__(self, operation: str, why: str = "") -> None:
        super().__init__(f"the CPU interpreter does not support {operation}{': ' + why if why else ''}")


class NotOnCpu(UnsupportedOperation):
    """An operation that a GPU runs and the interpreter cannot: its limitation, not a fault of the kernel."""

    def __init__(self, operation: str) -> None:
        Exception.__init__(self, f"{operation} cannot be run on a CPU")


class Diverge(BaseException):
    """Programs of one batch disagree on a value that decides control flow: rerun them in groups of equal value."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        self.values = values  # one per program of the batch


class Rebatch(BaseException):
    """A tile is too large for so many programs at once: start again with at most `programs`."""

    def __init__(self, programs: int) -> None:
        self.programs = programs


class Restart(BaseException):
    """A tensor that was read untracked is now stored into: run the launch again and track its reads."""

    def __init__(self, storage: int) -> None:
        self.storage = storage  # address of the storage


class Waiting(BaseException):
    """All programs of a batch wait for some that have not begun: undo it, and run it after those."""


class Abort(BaseException):
    """A run exceeds its limit of steps; with poison, the limit is a multiple of the steps without."""


def first_line(error: BaseException) -> str:
    """Return the error as one sentence for a learner: type and first line of its text."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


class EndlessLoopError(Exception):
    """A `while` never ends: an iteration changes none of the names in `args`, on which its condition depends."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self.message = "no iteration assigns anything that its condition depends on"
        if names:
            verb = are(len(names))
            self.message = f"{listed(names)}, which its condition depends on, {verb} the same after an iteration"
