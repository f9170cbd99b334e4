"""Turn an exception from the run of a recorded call into one fact."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import get_args

from tritonpuzzles.compiler.explain import phrased
from tritonpuzzles.engine.interpreter import KernelError, NeedlessProgramsError
from tritonpuzzles.insides import OutOfResources
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import without_addresses
from tritonpuzzles.wire.facts import CallFact, Fact, Lost, LostContext, Said, Stopped

MOST_TEXT = 2_000  # characters of a message


class RunFailure(Exception):
    """A kernel that does not run; `fact` says why."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(fact.code)
        self.fact = fact


def said_by_compiler(finding: Finding) -> Said:
    """Return a finding of the compiler as a fact."""
    return Said(
        finding.code,
        finding.message[:MOST_TEXT],
        finding.file,
        finding.line,
        finding.next_step and finding.next_step[:MOST_TEXT],
        finding.details,
    )


def run_failure(error: BaseException, path: Path) -> tuple[Fact, bool]:
    """Return the fact for an exception, and whether the process is unusable from now on (a lost CUDA context)."""
    if isinstance(error, RunFailure):
        return error.fact, False
    if isinstance(error, KernelError):
        return _stopped(error, error.file or str(path)), False
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return CallFact("out-of-memory"), False
    if isinstance(error, OutOfResources):
        return CallFact("out-of-resources", error.name, error.required, error.limit), False
    text = " ".join(traceback.format_exception_only(type(error), error)[-1].split())
    text = without_addresses(text)[:300].rstrip(".")
    lost = next((words for words in get_args(Lost) if words in text), None)
    return (CallFact("runtime-error", text), False) if lost is None else (LostContext(lost), True)


def _stopped(error: KernelError, file: str) -> Stopped:
    why = without_addresses(error.message.rstrip("."))[:MOST_TEXT]
    programs = error.programs if isinstance(error, NeedlessProgramsError) else None
    reason = phrased(why.partition(": ")[2])
    return Stopped(error.code, why, file, error.line, None if reason is None else reason.step, programs)
