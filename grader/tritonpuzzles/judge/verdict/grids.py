"""The line of the host code that says how many programs there are. It is read as text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.verdict.loops import accesses_in, has_loops, is_access
from tritonpuzzles.judge.verdict.parsed import functions_of, module_of
from tritonpuzzles.results.causes import UNWRITTEN
from tritonpuzzles.results.check import Finding

ROWS = "Let each program take several rows, in a loop: for row in range(tl.program_id(0), n_rows, tl.num_programs(0))."
PROGRAMS = "programs"  # in the details of what is wrong with the number of them


def at_the_grid(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those on the number of programs at the line of the grid in place of that of the launch.

    Args:
        findings: of one file.
        path: of the file.
    """
    if not any(_is_of_a_grid(finding) for finding in findings):
        return list(findings)
    functions = [node for node in ast.walk(module_of(path)) if isinstance(node, ast.FunctionDef)]
    return [_placed(finding, functions) if _is_of_a_grid(finding) else finding for finding in findings]


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


def with_a_loop(findings: Sequence[Finding], puzzle: Puzzle, path: Path) -> list[Finding]:
    """Return findings; where programs may be no more than fit at once, a kernel without loops lacks one over its rows.

    Args:
        findings: of the cases.
        puzzle: whose limits count.
        path: of the file.
    """
    few = any(finding.code == UNWRITTEN and PROGRAMS in finding.details for finding in findings)
    if not few or puzzle.limits.at_once is None or has_loops(path):
        return list(findings)
    kernels = [function for is_kernel, function in functions_of(path) if is_kernel]
    stores = [call.lineno for kernel in kernels for call in accesses_in(kernel) if is_access(call, "store")]

    def told(finding: Finding) -> Finding:
        text = f"{finding.message} No loop takes a program on to further rows."
        return replace(finding, message=text, line=min(stores, default=None), next_step=ROWS, details={})

    return [told(one) if one.code == UNWRITTEN and PROGRAMS in one.details else one for one in findings]


def numbering_of(path: Path) -> int | None:
    """Return the first line of a kernel that makes a tile's place of a program's number, by // or % or a swizzle."""
    lines = (line for is_kernel, function in functions_of(path) if is_kernel for line in _numbering(function))
    return min(lines, default=None)


def _numbering(kernel: ast.FunctionDef) -> Iterator[int]:
    programs = {
        target.id
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign) and "program_id" in ast.unparse(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(kernel):
        match node:
            case ast.BinOp(ast.Name(name), ast.FloorDiv() | ast.Mod()) if name in programs:
                yield node.lineno


def _is_of_a_grid(finding: Finding) -> bool:
    return PROGRAMS in finding.details and finding.line is not None


def _placed(finding: Finding, functions: Sequence[ast.FunctionDef]) -> Finding:
    lines = {line for function in functions for line in _lines(function, finding.line)}
    return replace(finding, line=lines.pop()) if len(lines) == 1 else finding


def _lines(function: ast.FunctionDef, line: int | None) -> list[int]:
    """Return where the grids of launches that begin in a line are made: where they stand, or get their name."""
    grids = [
        node.func.slice
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript) and node.lineno == line
    ]
    return [made for grid in grids for made in _grid_made(function, grid)]


def _grid_made(function: ast.FunctionDef, grid: ast.expr) -> list[int]:
    """Return where a grid is made: where its name gets a value, or the only name in it, or where it stands."""
    if isinstance(grid, ast.Tuple) and len(grid.elts) == 1 and isinstance(grid.elts[0], ast.Name):
        return _made(function, grid.elts[0].id) or [grid.lineno]
    if not isinstance(grid, ast.Name):
        return [grid.lineno]
    made = [node.value for node in ast.walk(function) if isinstance(node, ast.Assign) and _gives(node, grid.id)]
    alone = len(made) == 1 and isinstance(made[0], ast.Tuple)
    return _grid_made(function, made[0]) if alone else _made(function, grid.id)


def _gives(node: ast.Assign, name: str) -> bool:
    return name in map(ast.unparse, node.targets)


def _made(function: ast.FunctionDef, name: str) -> list[int]:
    """Return the lines that give a value to a name: an assignment, or a function of that name."""
    assigned = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Assign) and _gives(node, name)]
    functions = [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef) and node.name == name]
    return assigned + [_returned(made) for made in functions]


def _returned(function: ast.FunctionDef) -> int:
    """Return the line of the only `return` of a function, or where that begins."""
    returns = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Return)]
    return returns[0] if len(returns) == 1 else function.lineno
