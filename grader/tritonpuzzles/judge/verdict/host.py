"""The line of the host code that explains a finding: of a grid, a size, a number of the wrong GPU, an early return."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.verdict.dram import at_the_numbering
from tritonpuzzles.judge.verdict.returned import at_their_making
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import NO_LAUNCH, PROGRAMS, UNWRITTEN
from tritonpuzzles.results.words import listed
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import factors, is_call

ROWS = "Let each program take several rows, in a loop: for row in range(tl.program_id(0), n_rows, tl.num_programs(0))."
LARGEST = "largest"  # in details: the constant that is a tile's largest side
OF_THE_GPU = frozenset({"more-programs-than-fit", "idle-multiprocessors"})
OTHER_MEMORY = "wrong-memory"
FEW = 4  # cases in which a condition keeps a launch from being done
LARGE = 16  # fewer than the multiprocessors of any GPU here


def in_the_host_code(findings: Sequence[Finding], puzzle: Puzzle, source: Source) -> list[Finding]:
    """Return findings, those that the host function's text explains with its line.

    Args:
        findings: of one file.
        puzzle: that it is graded by.
        source: its text.
    """
    rare = sum(finding.code == OTHER_MEMORY for finding in findings) <= FEW
    found = [_with_a_loop(finding, puzzle, source) for finding in findings]
    found = [_left_early(finding, source) if rare else finding for finding in found]
    for place in (_of_another_gpu, at_the_numbering, _at_its_size, at_the_grid):
        found = [place(finding, source) for finding in found]
    return [at_their_making(finding, puzzle, source) for finding in found]


def _with_a_loop(finding: Finding, puzzle: Puzzle, source: Source) -> Finding:
    """Where programs may be no more than fit at once, say that a kernel without loops lacks one over its rows."""
    few = finding.code == UNWRITTEN and PROGRAMS in finding.details
    if not few or puzzle.limits.at_once is None or source.loops:
        return finding
    accesses = (access for kernel in source.kernels for access in kernel.accesses)
    line = min((access.lineno for access in accesses if is_call(access, "store")), default=None)
    text = f"{finding.message} No loop takes a program on to further rows."
    return replace(finding, message=text, line=line, next_step=ROWS, details={})


def _left_early(finding: Finding, source: Source) -> Finding:
    """Say which return, or which condition, stands between a call and its launch, where it is one alone."""
    known = finding.code not in (NO_LAUNCH, OTHER_MEMORY) or finding.line is not None or finding.case is None
    if known or len(source.host.guards) != 1:
        return finding
    ((line, returns),) = source.host.guards.items()
    does = "returns before the launch," if returns else "launches only"
    text = f"{finding.message} Line {line} {does} if its condition is true."
    step = f"Which calls have nothing to write? Only those may {'return' if returns else 'go without a launch'}."
    return replace(finding, message=text, line=line, next_step=step)


def _of_another_gpu(finding: Finding, source: Source) -> Finding:
    """Say where the grid comes of a number that stands in the text, whatever the GPU."""
    asked = PROGRAMS in finding.details and finding.code in OF_THE_GPU
    made = next((made for made in source.host.behind_grids if _is_fixed(made.value)), None) if asked else None
    if made is None:
        return finding
    text = f"{finding.message} {made.name} is {made.text} on every GPU, in line {made.line}."
    return replace(finding, message=text, line=made.line)


def _is_fixed(value: ast.expr) -> bool:
    """Return whether a value is a large number, or such a number times what no GPU was asked for."""
    numbers = [factor.value for factor in factors(value) if isinstance(factor, ast.Constant)]
    asked = any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(value))
    return not asked and any(type(number) is int and number > LARGE for number in numbers)


def _at_its_size(finding: Finding, source: Source) -> Finding:
    """Tell of a tile where its largest side is set, if one line does."""
    lines = source.host.size_lines([finding.details[LARGEST]]) if LARGEST in finding.details else set()
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding


def with_places(finding: Finding, source: Source) -> Finding:
    """Return a finding with the lines of the host function that set the sizes that it blames."""
    told = finding.details.get("sizes")
    lines = source.host.size_lines(told if isinstance(told, list) else [])
    if not lines or finding.next_step is None:
        return finding
    where = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in sorted(lines)])}"
    return replace(finding, next_step=f"{finding.next_step} See {where}.")


def at_the_grid(finding: Finding, source: Source) -> Finding:
    """Return a finding on the number of programs at the line of the grid in place of that of the launch."""
    lines = source.host.grid_lines(finding.line) if PROGRAMS in finding.details else set()
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding
