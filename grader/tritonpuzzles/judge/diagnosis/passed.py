"""Where a launch gets an argument, or its grid, as the text of the host code tells."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import Function


def grid_line(source: Source, calls: Sequence[int]) -> int:
    """Return where the grid of a launch is made; the launch where that is not seen.

    Args:
        source: of the file.
        calls: lines that led to the launch, the innermost first.
    """
    made = source.host.grid_lines(calls[0])
    return made.pop() if len(made) == 1 else calls[0]


def argument_line(source: Source, calls: Sequence[int], name: str) -> int:
    """Return where a kernel's parameter gets its value: an argument, or the only assignment to a name that is passed.

    An argument of the function around a launch is followed to the call of that; the last line that is seen is returned.
    """
    line = calls[0]
    for at in calls:
        function = next((one for one in reversed(source.functions) if at in one.body), None)
        value = None if function is None else _value(source, function, at, name)
        if function is None or value is None:
            return line
        line = value.lineno
        if not isinstance(value, ast.Name):
            return line
        made = function.giving(value.id)
        if made or value.id not in function.parameters:
            return made[0].line if len(made) == 1 else line
        name = value.id
    return line


def _value(source: Source, function: Function, line: int, name: str) -> ast.expr | None:
    """Return what a call in a line passes as a parameter; of several arguments in one, all of them."""
    for call in (node for node in function.nodes if isinstance(node, ast.Call)):
        called = ast.unparse(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        known = next((one for one in source.functions if one.name == called), None)
        if known is None or name not in known.parameters or not call.lineno <= line <= (call.end_lineno or line):
            continue
        named = {word.arg: word.value for word in call.keywords}
        return (
            named[name]
            if name in named
            else _positional(call, [one for one in known.parameters if one not in named], name)
        )
    return None


def _positional(call: ast.Call, parameters: Sequence[str], name: str) -> ast.expr | None:
    """Return an argument by its place, counted from the end behind a starred one; of one in that the starred name."""
    stars = [number for number, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    place, back = parameters.index(name), len(parameters) - parameters.index(name)
    if not stars or place < stars[0]:
        return call.args[place] if place < len(call.args) else None
    starred = call.args[stars[0]]
    return call.args[-back] if back < len(call.args) - stars[-1] else getattr(starred, "value", None)
