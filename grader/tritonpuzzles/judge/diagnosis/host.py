"""Where the launches of a file get their arguments, as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Sequence


class Host:
    """The functions of a file.

    Args:
        tree: of the file.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        self._parameters = {one.name: [argument.arg for argument in one.args.args] for one in self._functions}

    def line_of(self, place: Sequence[int], name: str) -> int:
        """Return where a parameter gets its value, or the grid where `name` is empty; the launch if that is not seen.

        Of one call among several that lead to a launch it is that call.
        """
        line = place[0]
        if len(place) > 1:
            return place[1]
        for function in self._functions:
            for call in ast.walk(function):
                match call:
                    case ast.Call(func=ast.Subscript() as launched) if _spans(call, line):
                        value = self._value(call, launched, name) if name else launched.slice
                        return line if value is None else self._made(function, value)
        return line

    def _value(self, call: ast.Call, launched: ast.Subscript, name: str) -> ast.expr | None:
        named = {word.arg: word.value for word in call.keywords}
        if name in named:
            return named[name]
        parameters = self._parameters.get(ast.unparse(launched.value), [])
        given = call.args[: parameters.index(name) + 1] if name in parameters else []
        several = (argument.value for argument in given if isinstance(argument, ast.Starred))
        return next(several, given[-1] if given else None)

    def _made(self, function: ast.FunctionDef, value: ast.expr) -> int:
        """Return the line of an expression, or if it is a name that is assigned once, of that."""
        if not isinstance(value, ast.Name):
            return value.lineno
        made = [
            node.lineno
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and value.id in map(ast.unparse, node.targets)
        ]
        return made[0] if len(made) == 1 else value.lineno


def _spans(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
