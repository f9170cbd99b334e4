"""The host code of a file: where it launches kernels, and which lines set grids, sizes and configurations."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from tritonpuzzles.source.functions import Assignment, Function, launches_in
from tritonpuzzles.source.origins import Origins


class Host:
    """All of a file except its kernels.

    Args:
        functions: of the file, without kernels.
        nodes: all of the file.
    """

    def __init__(self, functions: Sequence[Function], nodes: Sequence[ast.AST]) -> None:
        self._functions, self._nodes = functions, nodes
        self._origins = Origins(functions, nodes)

    @cached_property
    def guards(self) -> dict[int, bool]:
        """The lines that prevent a launch under a condition, and whether by a return before it."""
        found: dict[int, bool] = {}
        for function in self._functions:
            first = min((line for line, _ in function.launches), default=0)
            for branch in function.branches:
                returns = [node.lineno for node in ast.walk(branch) if isinstance(node, ast.Return)]
                found |= {branch.lineno: False} if launches_in(ast.walk(branch)) else {}
                found |= {line: True for line in returns if line < first}
        return found

    def grid_lines(self, line: int | None) -> set[int]:
        """Return the lines that make the grids of the launches that begin in a line: inline, or assigned to a name."""
        grids = [(function, grid) for function in self._functions for begin, grid in function.launches if begin == line]
        return {made for function, grid in grids for made in _lines_of_grid(function, grid)}

    @property
    def behind_grids(self) -> Iterator[Assignment]:
        """The assignments that grids depend on."""
        grids = (grid for function in self._functions for _, grid in function.launches)
        return (made for grid in grids for made in self._origins.behind(grid))

    @property
    def dropped_copies(self) -> list[tuple[int, str]]:
        """The lines that call `.contiguous()` without using the result, each with the call."""
        found = []
        for node in self._nodes:
            match node:
                case ast.Expr(ast.Call(ast.Attribute(attr="contiguous")) as call):
                    found.append((node.lineno, ast.unparse(call)))
        return found

    def size_lines(self, name: str, value: object = None) -> set[int]:
        """Return the lines that make a constant of a launch, as `Origins.lines` does."""
        return self._origins.lines(name, value)

    @property
    def configurations(self) -> list[int]:
        """The lines of the configurations that an autotuner chooses among."""
        calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        return sorted(call.lineno for call in calls if ast.unparse(call.func).rpartition(".")[2] == "Config")


def _lines_of_grid(function: Function, grid: ast.expr) -> list[int]:
    match grid:
        case ast.Tuple([ast.Name(name)]):
            return _lines_of(function, name) or [grid.lineno]
        case ast.Name(name):
            made = [one.value for one in function.giving(name)]
            alone = len(made) == 1 and isinstance(made[0], ast.Tuple)
            return _lines_of_grid(function, made[0]) if alone else _lines_of(function, name)
    return [grid.lineno]


def _lines_of(function: Function, name: str) -> list[int]:
    """Return the lines that define a name: assignments, or the `return` of a function with that name."""
    inner = [Function(node) for node in function.nodes if isinstance(node, ast.FunctionDef) and node.name == name]
    returns = [one.returns if len(one.returns) == 1 else [one.node] for one in inner]
    return [made.line for made in function.giving(name)] + [node.lineno for (node,) in returns]
