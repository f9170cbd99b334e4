"""Why a kernel does not compile, and what to do: what every look at a fault of the compiler gives."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Why, and what to do; `file` and `line` where they are better known than the fault's own."""

    cause: str
    step: str | None = None
    line: int | None = None
    file: str | None = None


def assignment(node: ast.AST | None, name: str) -> ast.AST | None:
    """Return the first statement below a node that assigns a name."""
    for child in ast.walk(node) if node is not None else ():
        if isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            names = {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
            if name in names:
                return child
    return None
