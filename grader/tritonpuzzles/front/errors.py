"""Errors that a user can fix, the exit codes, and the error on systems without Triton.

The command line prints each as one sentence.
"""

from __future__ import annotations

import enum
import sys


class ExitCode(enum.IntEnum):
    """Exit codes for scripts; they never change."""

    PASS = 0  # all that was asked for passes
    FAIL = 1  # at least one puzzle does not
    USAGE = 2
    FAULT = 3  # the environment's or the grader's own fault
    INTERRUPTED = 130


class FrontError(Exception):
    """Something that stops a command.

    Args:
        message: what happened, one sentence with names and numbers.
        next_step: what to do about it: a command, or a short sentence.
        code: the exit code of the command.
    """

    def __init__(self, message: str, next_step: str | None = None, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.code = code


def grades_here() -> bool:
    """Return whether kernels can be compiled and run on this system."""
    return sys.platform == "linux"


def refuse_elsewhere() -> None:
    """Refuse to grade on a system without Triton.

    Raises:
        FrontError: on another system than Linux, with where it works.
    """
    if not grades_here():
        said = "Triton runs on Linux alone: check in a container, in WSL 2 on Windows, or in Colab."
        raise FrontError(said, "tritonpuzzles docs elsewhere (list, show, hint, words work here)", ExitCode.FAULT)
