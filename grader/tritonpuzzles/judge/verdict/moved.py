"""What moves an address on from turn to turn, by a kernel's text. Nothing of it is run."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TypeGuard

from tritonpuzzles.judge.verdict.loops import Moved, accesses_in, is_access, reached
from tritonpuzzles.judge.verdict.parsed import functions_of


def moving(path: Path, line: int) -> Moved | None:
    """Return the only addition to a name in the address of a load, in the loop that the load stands in."""
    for is_kernel, function in functions_of(path):
        loops = [node for node in ast.walk(function) if isinstance(node, (ast.For, ast.While))] if is_kernel else []
        around = [loop for loop in loops if loop.lineno < line <= (loop.end_lineno or loop.lineno)]
        loads = [
            call for loop in around for call in accesses_in(loop) if call.lineno == line and is_access(call, "load")
        ]
        names = {name for call in loads for name in reached(call.args[0], {})}
        for loop in around[-1:]:
            found = [
                Moved(node.lineno, node.target.id, ast.unparse(node.value))
                for node in ast.walk(loop)
                if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in names
            ]
            return found[0] if len(found) == 1 else None
    return None


def step_made(path: Path, line: int) -> int:
    """Return where the step is made by which a line moves something on, if it has a name, made once before all loops.

    Of any other line itself is returned.
    """
    for _, function in functions_of(path):
        inside = {
            node for loop in ast.walk(function) if isinstance(loop, (ast.For, ast.While)) for node in ast.walk(loop)
        }
        steps = [node.value for node in inside if isinstance(node, ast.AugAssign) and node.lineno == line]
        for step in steps:
            made = [node for node in ast.walk(function) if _assigns(node, step)]
            if isinstance(step, ast.Name) and len(made) == 1 and made[0] not in inside:
                return made[0].lineno
    return line


def _assigns(node: ast.AST, name: ast.expr) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and ast.unparse(name) in map(ast.unparse, node.targets)
