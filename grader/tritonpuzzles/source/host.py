"""The host code of a file: where it launches kernels, and which lines set grids, sizes and configurations."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from keyword import iskeyword

from tritonpuzzles.source.functions import Assignment, Function, assignments_in, launches_in


class Host:
    """All of a file except its kernels.

    Args:
        functions: of the file, without kernels.
        nodes: all of the file.
    """

    def __init__(self, functions: Sequence[Function], nodes: Sequence[ast.AST]) -> None:
        self._functions, self._nodes = functions, nodes

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
        """The assignments that grids depend on: the last one of each name in them, and of each name in that."""
        for function in self._functions:
            made = [*assignments_in(ast.iter_child_nodes(self._nodes[0])), *function.assignments]
            last = {one.name: one for one in made if one.name and one.operator is None}
            waiting, seen = [grid for _, grid in function.launches], set[str]()
            while waiting:
                for node in ast.walk(waiting.pop()):
                    if isinstance(node, ast.Name) and node.id in last and node.id not in seen:
                        seen.add(node.id)
                        yield last[node.id]
                        waiting.append(last[node.id].value)

    @property
    def dropped_copies(self) -> list[tuple[int, str]]:
        """The lines that call `.contiguous()` without using the result, each with the call."""
        found = []
        for node in self._nodes:
            match node:
                case ast.Expr(ast.Call(ast.Attribute(attr="contiguous")) as call):
                    found.append((node.lineno, ast.unparse(call)))
        return found

    def size_lines(self, names: Collection[str]) -> set[int]:
        """Return the lines that assign names, or pass a value that is no name to a keyword or key with such a name."""
        made = [one for function in self._functions for one in function.assignments if one.operator is None]
        settings = [one for name in names for one in self.settings(name)]
        values = [line for line, text in settings if not text.isidentifier() or iskeyword(text)]  # True is no name
        given = {line for line in values if any(line in function.body for function in self._functions)}
        return {one.line for one in made if set(one.names) & set(names)} | given

    def settings(self, name: str) -> list[tuple[int, str]]:
        """Return the lines in which a launch or a configuration sets a constant, with the value as text."""
        found = []
        for node in self._nodes:
            match node:
                case ast.Dict(keys, values):
                    pairs = zip(keys, values, strict=True)
                    named = [
                        (key, value) for key, value in pairs if isinstance(key, ast.Constant) and key.value == name
                    ]
                    found += [(key.lineno, ast.unparse(value)) for key, value in named]
                case ast.keyword(arg, value) if arg == name:
                    found.append((value.lineno, ast.unparse(value)))
        return found

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
