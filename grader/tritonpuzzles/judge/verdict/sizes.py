"""Where a host function sets the sizes that a kernel is compiled with. It is read as text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.verdict.parsed import functions_of
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import listed

LARGEST = "largest"  # in details: the constant that is a tile's largest side


def with_places(finding: Finding, path: Path) -> Finding:
    """Return a finding with the lines of the host function that set the sizes that it blames."""
    told = finding.details.get("sizes")
    names = [name for name in told if isinstance(name, str)] if isinstance(told, list) else []
    lines = sorted({line for kernel, function in functions_of(path) if not kernel for line in _set(function, names)})
    if not names or not lines or finding.next_step is None:
        return finding
    where = f"line{'s' * (len(lines) > 1)} {listed([str(line) for line in lines])}"
    return replace(finding, next_step=f"{finding.next_step} See {where}.")


def at_their_sizes(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those on a tile where the host function sets its largest side, if one line does."""
    return [_at_its_size(finding, path) if LARGEST in finding.details else finding for finding in findings]


def _at_its_size(finding: Finding, path: Path) -> Finding:
    name, hosts = finding.details[LARGEST], [function for kernel, function in functions_of(path) if not kernel]
    lines = {line for host in hosts for line in _set(host, [name])}
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding


def _set(function: ast.FunctionDef, names: Collection[str]) -> Iterator[int]:
    """Yield the lines that assign names, or pass something else than the same name as keywords of a launch."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            targets = {child.id for target in node.targets for child in ast.walk(target) if isinstance(child, ast.Name)}
            if targets & set(names):
                yield node.lineno
        elif isinstance(node, ast.keyword) and node.arg in names and not isinstance(node.value, ast.Name):
            yield node.value.lineno
