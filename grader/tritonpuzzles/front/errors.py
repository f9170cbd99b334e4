"""Errors that a user can fix, and the exit codes. The command line's edge turns them into one sentence."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """What scripts read; fixed for good."""

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
