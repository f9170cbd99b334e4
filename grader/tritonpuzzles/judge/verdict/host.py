"""What of the host function's text explains a finding: a number of the wrong GPU, a return before the launch."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.judge.verdict.grids import PROGRAMS
from tritonpuzzles.results.causes import NO_LAUNCH
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import factors

OF_THE_GPU = frozenset({"more-programs-than-fit", "idle-multiprocessors"})
OTHER_MEMORY = "wrong-memory"
FEW = 4  # cases in which a condition keeps a launch from being done
LARGE = 16  # fewer than the multiprocessors of any GPU here


def in_the_host_code(findings: Sequence[Finding], source: Source) -> list[Finding]:
    """Return findings, those that the host function's text explains with its line.

    Args:
        findings: of one file.
        source: its text.
    """
    rare = sum(finding.code == OTHER_MEMORY for finding in findings) <= FEW
    return [_explained(finding, source, rare) for finding in findings]


def _explained(finding: Finding, source: Source, rare: bool) -> Finding:
    missing = rare and finding.code in (NO_LAUNCH, OTHER_MEMORY)
    if missing and finding.line is None and finding.case is not None:
        return _left_early(finding, source)
    if PROGRAMS in finding.details and finding.code in OF_THE_GPU:
        return _of_another_gpu(finding, source)
    return finding


def _left_early(finding: Finding, source: Source) -> Finding:
    """Say which return, or which condition, stands between a call and its launch, where it is one alone."""
    returns, conditions = source.host.early_returns, source.host.launch_conditions
    if len(returns | conditions) != 1:
        return finding
    (line,) = returns | conditions
    does = "returns before the launch," if returns else "launches only"
    step = f"Which calls have nothing to write? Only those may {'return' if returns else 'go without a launch'}."
    return replace(
        finding, message=f"{finding.message} Line {line} {does} if its condition is true.", line=line, next_step=step
    )


def _of_another_gpu(finding: Finding, source: Source) -> Finding:
    """Say where the grid comes of a number that stands in the text, whatever the GPU."""
    for made in source.host.behind_grids:
        if _is_fixed(made.value):
            text = f"{finding.message} {made.name} is {ast.unparse(made.value)} on every GPU, in line {made.line}."
            return replace(finding, message=text, line=made.line)
    return finding


def _is_fixed(value: ast.expr) -> bool:
    """Return whether a value is a large number, or such a number times what no GPU was asked for."""
    numbers = [factor.value for factor in factors(value) if isinstance(factor, ast.Constant)]
    asked = any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(value))
    return not asked and any(type(number) is int and number > LARGE for number in numbers)
