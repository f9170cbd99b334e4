"""The host code of a file: where it launches kernels, and which lines set grids, sizes and configurations."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from tritonpuzzles.source.functions import Assignment, Function, launches_in
from tritonpuzzles.source.origins import Origins, is_config


class Host:
    """All of a file except its kernels: its other functions, and the nodes of the whole file."""

    def __init__(self, functions: Sequence[Function], nodes: Sequence[ast.AST]) -> None:
        self._functions, self._nodes = functions, nodes

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self._functions, self._nodes)

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

    @cached_property
    def _grids(self) -> list[tuple[int, ast.expr]]:
        """The first lines of launches, with their grids; a name may hold `kernel[grid]` until it is called."""
        found = [launch for function in self._functions for launch in function.launches]
        for function in self._functions:
            held = {one.name: one.value.slice for one in function.assignments if isinstance(one.value, ast.Subscript)}
            calls = [node for node in function.nodes if isinstance(node, ast.Call)]
            named = [(call.lineno, call.func.id) for call in calls if isinstance(call.func, ast.Name)]
            found += [(line, held[name]) for line, name in named if name in held]
        return found

    def grid_lines(self, line: int | None) -> set[int]:
        """Return the lines that make the grids of the launches that begin in a line."""
        return {made for begin, grid in self._grids if begin == line for made in self._origins.grid_lines(grid)}

    @property
    def behind_grids(self) -> Iterator[Assignment]:
        """The assignments that grids depend on."""
        return (made for _, grid in self._grids for made in self._origins.behind(grid))

    @property
    def kept_at(self) -> int | None:
        """The only line that makes a key under which the host code keeps values from call to call."""
        found: set[int] = set()
        for function in self._functions:
            if any("cache" in ast.unparse(one) for one in function.node.decorator_list):
                found.add(function.node.lineno)
            keys: set[str] = set()
            for node in function.nodes:
                match node:
                    case ast.Assign([ast.Subscript(ast.Name(), ast.Name(key))]):
                        keys.add(key)
                    case ast.Assign([ast.Subscript(ast.Name())]):
                        found.add(node.lineno)
            found |= {one.line for one in function.assignments if one.operator is None and one.name in keys}
        return found.pop() if len(found) == 1 else None

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
        return sorted(node.lineno for node in self._nodes if isinstance(node, ast.expr) and is_config(node))
