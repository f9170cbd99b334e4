"""Elements that several programs store, told of at the range that shares the turns out, where that alone decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.verdict.loops import Loop, loops_of
from tritonpuzzles.results.check import Finding

SEVERAL = frozenset({"written-twice", "race-write-write"})
FIXED = re.compile(r"\d+|[A-Z][A-Z0-9_]*")  # a number, or a constexpr: no number of programs


def at_the_range(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those of stores by several programs at the range that they come from.

    Args:
        findings: of one file.
        path: where it can be read.
    """
    if not any(_is_of_several(finding) for finding in findings):
        return list(findings)
    loops = loops_of(path)
    return [_placed(finding, loops) if _is_of_several(finding) else finding for finding in findings]


def _is_of_several(finding: Finding) -> bool:
    return finding.code in SEVERAL and "other_program" in finding.details


def _placed(finding: Finding, loops: Sequence[Loop]) -> Finding:
    loop = next((loop for loop in loops if finding.line in loop.rules), None)
    account = _account(loop) if loop is not None else None
    if loop is None or account is None:
        return finding
    why, step = account
    return replace(finding, line=loop.line, message=f"{why} {finding.message}", next_step=step)


def _account(loop: Loop) -> tuple[str, str] | None:
    """Return why programs meet in a loop's turns, and what to do; nothing where its text does not prove that."""
    if not loop.by_program:
        why = f"The loop over {loop.variable} takes the same turns in every program."
        return why, f"Begin at the program's number: range(tl.program_id(0), {loop.end}, tl.num_programs(0))."
    if loop.at_program and FIXED.fullmatch(loop.step):
        why = f"The loop over {loop.variable} begins at the program's number and goes on in steps of {loop.step}."
        return why, f"Go on in steps of the number of programs: range({loop.begin}, {loop.end}, tl.num_programs(0))."
    return None
