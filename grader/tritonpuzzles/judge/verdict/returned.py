"""The line of the host code that makes what comes back in a wrong form. It is read as text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.verdict.parsed import module_of
from tritonpuzzles.results.check import Finding

FORMS = frozenset({"wrong-type", "wrong-shape", "wrong-dtype", "wrong-device"})
OUTPUT, GRADIENT_OF = "output", "gradient_of"  # in the details of such a finding


def at_their_making(findings: Sequence[Finding], puzzle: Puzzle, path: Path) -> list[Finding]:
    """Return findings, those on the form of an output with the line that makes it, where the file's text tells.

    Args:
        findings: of one file.
        puzzle: whose outputs they speak of.
        path: of the file.
    """
    if not any(_is_open(finding) for finding in findings):
        return list(findings)
    functions = {node.name: node for node in ast.walk(module_of(path)) if isinstance(node, ast.FunctionDef)}
    return [_placed(finding, puzzle, functions) if _is_open(finding) else finding for finding in findings]


def _is_open(finding: Finding) -> bool:
    return finding.code in FORMS and finding.line is None and OUTPUT in finding.details


def _placed(finding: Finding, puzzle: Puzzle, functions: dict[str, ast.FunctionDef]) -> Finding:
    of = finding.details.get(GRADIENT_OF)
    results = puzzle.results if puzzle.gradients else puzzle.outputs
    names = [known.name for known in (puzzle.arguments if of else results)]
    maker = functions.get("backward" if of else "forward") or functions.get(puzzle.host)
    line = None if maker is None else _line(maker, names.index(of or finding.details[OUTPUT]), alone=len(names) == 1)
    return finding if line is None else replace(finding, line=line)


def _line(function: ast.FunctionDef, position: int, alone: bool) -> int | None:
    """Return the last line that gives a value to what a function returns last, or of that `return`."""
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    if not returns:
        return None
    last = max(returns, key=lambda node: node.lineno)
    value = last.value
    if isinstance(value, ast.Tuple) and not (alone and len(value.elts) > 1):
        value = value.elts[position] if position < len(value.elts) else None
    if not isinstance(value, ast.Name):
        return last.lineno
    made = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.lineno < last.lineno and value.id in map(ast.unparse, node.targets)
    ]
    return max(made, default=last.lineno)
