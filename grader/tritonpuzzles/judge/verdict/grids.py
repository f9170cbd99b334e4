"""The line of the host code that says how many programs there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.causes import UNWRITTEN
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import is_call

ROWS = "Let each program take several rows, in a loop: for row in range(tl.program_id(0), n_rows, tl.num_programs(0))."
PROGRAMS = "programs"  # in the details of what is wrong with the number of them


def at_the_grid(findings: Sequence[Finding], source: Source) -> list[Finding]:
    """Return findings, those on the number of programs at the line of the grid in place of that of the launch.

    Args:
        findings: of one file.
        source: its text.
    """
    return [_placed(finding, source) if PROGRAMS in finding.details else finding for finding in findings]


def _placed(finding: Finding, source: Source) -> Finding:
    lines = source.host.grid_lines(finding.line)
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding


def with_the_grid(named: Sequence[Finding], findings: Sequence[Finding]) -> list[Finding]:
    """Return named mistakes, those in all whose cases too few programs leave elements out at the line of the grid.

    Args:
        named: what explains wrong values.
        findings: of the cases.
    """
    few = [finding for finding in findings if finding.code == UNWRITTEN and PROGRAMS in finding.details]
    lines, cases = {finding.line for finding in few}, {finding.case for finding in few}
    if len(lines) != 1:
        return list(named)
    (line,) = lines
    return [
        replace(finding, line=line) if set(finding.details.get("cases", [""])) <= cases else finding
        for finding in named
    ]


def with_a_loop(findings: Sequence[Finding], puzzle: Puzzle, source: Source) -> list[Finding]:
    """Return findings; where programs may be no more than fit at once, a kernel without loops lacks one over its rows.

    Args:
        findings: of the cases.
        puzzle: whose limits count.
        source: the file's text.
    """
    if puzzle.limits.at_once is None or source.loops:
        return list(findings)
    accesses = (access for kernel in source.kernels for access in kernel.accesses)
    line = min((access.lineno for access in accesses if is_call(access, "store")), default=None)

    def told(finding: Finding) -> Finding:
        text = f"{finding.message} No loop takes a program on to further rows."
        return replace(finding, message=text, line=line, next_step=ROWS, details={})

    return [told(one) if one.code == UNWRITTEN and PROGRAMS in one.details else one for one in findings]
