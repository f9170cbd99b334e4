"""What goes wrong in a loop that shares turns out among programs, told of with its range, or at it where that decides.

Elements that several programs store, rows that nobody stores, rows beyond the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.judge.verdict.gaps import MOVE
from tritonpuzzles.results.causes import BY_PROGRAM, INT32_OVERFLOW, UNWRITTEN
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.source import Source
from tritonpuzzles.source.loops import Loop, Moved

SEVERAL = frozenset({"written-twice", "race-write-write"})
OTHER_AXIS = re.compile(r"program_id\((axis=)?0\).*num_programs\((axis=)?[12]\)")
FIXED = re.compile(r"\d+|[A-Z][A-Z0-9_]*")  # a number, or a constexpr: no number of programs


def at_the_range(findings: Sequence[Finding], source: Source) -> list[Finding]:
    """Return findings, those of stores by several programs at the range that they come from.

    Args:
        findings: of one file.
        source: its text.
    """
    return [
        _placed(finding, source)
        if finding.code in SEVERAL and "other_program" in finding.details
        else _with_range(finding, source)
        for finding in findings
    ]


def _with_range(finding: Finding, source: Source) -> Finding:
    """Return a finding with the range of the loop around its line, where that shares out turns."""
    loop = next((loop for loop in source.walks if loop.by_program and loop.holds(finding.line)), None)
    if loop is None or finding.kind is not Kind.SAFETY:
        return finding
    if finding.next_step == MOVE or finding.code == INT32_OVERFLOW:  # then it is not the range
        return finding
    line = loop.end_line or loop.line if finding.code == UNWRITTEN else finding.line  # its range decides what is stored
    text = f"{finding.message} The loop around it, in line {loop.line}, is {loop.range}."
    return replace(finding, message=text, line=line)


def _placed(finding: Finding, source: Source) -> Finding:
    for loop in source.walks:
        if loop.holds(finding.line) and loop.slow is not None:
            return _moved_by_less(finding, loop, loop.slow)
        if finding.line in loop.rules and (account := _account(loop)) is not None:
            why, step = account
            return replace(finding, line=loop.line, message=f"{why} {finding.message}", next_step=step)
    return _with_range(_by_program(finding), source)


def _by_program(finding: Finding) -> Finding:
    """Return a finding at the line in which the address comes to depend on the program, where that is known."""
    line = finding.details.get(BY_PROGRAM)
    return replace(finding, line=line) if isinstance(line, int) else finding


def _moved_by_less(finding: Finding, loop: Loop, slow: Moved) -> Finding:
    line, name, by = slow.line, slow.name, slow.by
    why = f"The loop of line {loop.line} goes on in steps of {loop.step}, and line {line} moves {name} by {by} alone."
    step = f"Move {name} by as many rows as the loop goes on by: {name} += {loop.step} * {by}."
    return replace(finding, line=line, message=f"{why} {finding.message}", next_step=step)


def _account(loop: Loop) -> tuple[str, str] | None:
    """Return why programs meet in a loop's turns, and what to do; nothing where its text does not prove that."""
    if not loop.by_program:
        why = f"The loop over {loop.variable} takes the same turns in every program."
        return why, f"Begin at the program's number: range(tl.program_id(0), {loop.end}, tl.num_programs(0))."
    if loop.at_program and (FIXED.fullmatch(loop.step) or OTHER_AXIS.search(loop.range)):
        why = f"The loop over {loop.variable} begins at the program's number and goes on in steps of {loop.step}."
        if OTHER_AXIS.search(loop.range):
            why = f"The loop over {loop.variable} is {loop.range}: along another axis there is one program."
        return why, f"Go on in steps of the number of programs: range({loop.begin}, {loop.end}, tl.num_programs(0))."
    return None
