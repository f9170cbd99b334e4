"""What of the host function's text explains a finding: a number of the wrong GPU, a return before the launch.

It is read as text: nothing of it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.verdict.grids import PROGRAMS
from tritonpuzzles.judge.verdict.parsed import functions_of, module_of
from tritonpuzzles.results.causes import NO_LAUNCH
from tritonpuzzles.results.check import Finding

OF_THE_GPU = frozenset({"more-programs-than-fit", "idle-multiprocessors"})
OTHER_MEMORY = "wrong-memory"
FEW = 4  # cases in which a condition keeps a launch from being done
LARGE = 16  # fewer than the multiprocessors of any GPU here


def in_the_host_code(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those that the host function's text explains with its line.

    Args:
        findings: of one file.
        path: where it can be read.
    """
    rare = sum(finding.code == OTHER_MEMORY for finding in findings) <= FEW
    return [_explained(finding, path, rare) for finding in findings]


def _explained(finding: Finding, path: Path, rare: bool) -> Finding:
    missing = rare and finding.code in (NO_LAUNCH, OTHER_MEMORY)
    if missing and finding.line is None and finding.case is not None:
        return _left_early(finding, path)
    if PROGRAMS in finding.details and finding.code in OF_THE_GPU:
        return _of_another_gpu(finding, path)
    return finding


def _left_early(finding: Finding, path: Path) -> Finding:
    """Say which return, or which condition, stands between a call and its launch, where it is one alone."""
    hosts = [node for node in ast.walk(module_of(path)) if isinstance(node, ast.FunctionDef) and _launches(node)]
    returns = {line for host in hosts for line in _early_returns(host)}
    branches = [node for host in hosts for node in ast.walk(host) if isinstance(node, ast.If)]
    conditions = {branch.lineno for branch in branches if _launches(branch)}
    if len(returns | conditions) != 1:
        return finding
    (line,) = returns | conditions
    does = "returns before the launch," if returns else "launches only"
    step = f"Which calls have nothing to write? Only those may {'return' if returns else 'go without a launch'}."
    return replace(
        finding, message=f"{finding.message} Line {line} {does} if its condition is true.", line=line, next_step=step
    )


def _early_returns(host: ast.FunctionDef) -> Iterator[int]:
    first = min(node.lineno for node in _launches(host))
    for condition in ast.walk(host):
        for node in ast.walk(condition) if isinstance(condition, ast.If) else ():
            if isinstance(node, ast.Return) and node.lineno < first:
                yield node.lineno


def _launches(host: ast.AST) -> list[ast.Call]:
    calls = (node for node in ast.walk(host) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Subscript)]


def _of_another_gpu(finding: Finding, path: Path) -> Finding:
    """Say where the grid comes of a number that stands in the text, whatever the GPU."""
    for is_kernel, function in functions_of(path):
        assigned = {} if is_kernel else _assigned(function)
        waiting = [_grid(launch) for launch in _launches(function)]
        seen: set[str] = set()
        while waiting:
            part = waiting.pop()
            for name in (node.id for node in ast.walk(part) if isinstance(node, ast.Name) and node.id not in seen):
                seen.add(name)
                made = assigned.get(name)
                if made is not None and _is_fixed(made.value):
                    text = f"{finding.message} {name} is {ast.unparse(made.value)} on every GPU, in line {made.lineno}."
                    return replace(finding, message=text, line=made.lineno)
                waiting += [made.value] if made is not None else []
    return finding


def _assigned(function: ast.FunctionDef) -> dict[str, ast.Assign]:
    """Return the assignments to single names, the last of each."""
    nodes = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
    return {node.targets[0].id: node for node in nodes if isinstance(node.targets[0], ast.Name)}


def _grid(launch: ast.Call) -> ast.expr:
    assert isinstance(launch.func, ast.Subscript)
    return launch.func.slice


def _is_fixed(value: ast.expr) -> bool:
    """Return whether a value is a large number, or such a number times what no GPU was asked for."""
    factors = list(_factors(value))
    large = any(isinstance(one, ast.Constant) and type(one.value) is int and one.value > LARGE for one in factors)
    return large and not any(isinstance(node, (ast.Call, ast.Attribute)) for node in ast.walk(value))


def _factors(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        yield from _factors(value.left)
        yield from _factors(value.right)
    else:
        yield value
