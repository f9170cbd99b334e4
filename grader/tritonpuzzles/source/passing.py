"""Where the host code sets what a launch passes: the line that gives a kernel's parameter, or the grid, its value."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tritonpuzzles.source.file import Source
from tritonpuzzles.source.functions import Assignment, Function


def grid_line(source: Source, calls: Sequence[int]) -> int:
    """Return the line that makes the grid of a launch; if it is not found, the launch, the innermost of the calls."""
    made = source.host.grid_lines(calls[0])
    return made.pop() if len(made) == 1 else calls[0]


def argument_line(
    source: Source, calls: Sequence[int], name: str, *, same: bool = False, everywhere: bool = False
) -> int:
    """Return where a kernel's parameter gets its value: an argument, or the only assignment to a passed name.

    A parameter of the function around a launch is followed to the call of that function; the last line found is
    returned. A name is followed to its assignment if it equals the parameter's, is starred for several arguments, or,
    without `same`, if nothing else uses it, or if it is wrong `everywhere`. For any other name, its place among the
    arguments may be the mistake.
    """
    line = calls[0]
    for at in calls:
        function = next((one for one in reversed(source.functions) if at in one.body), None)
        value = None if function is None else _value(source, function, at, name)
        tables = source.host.size_lines(name) if at == calls[0] else set()  # beside the launch, such as heuristics
        if function is None or value is None or (isinstance(value, ast.Starred) and len(tables) == 1):
            return tables.pop() if len(tables) == 1 else line
        line, several = value.lineno, isinstance(value, ast.Starred)
        value = value.value if isinstance(value, ast.Starred) else value
        if not isinstance(value, ast.Name):
            return line
        made = [one for one in function.assignments if one.operator is None and value.id in one.names]
        if made or value.id not in function.parameters:
            own = several or value.id.lower() == name.lower()
            elsewhere = sum(isinstance(node, ast.Name) and node.id == value.id for node in function.nodes) > 2
            mine = own or (made and made[0].name and not same and (everywhere or not elsewhere))
            return made[0].line if len(made) == 1 and mine else line
        name = value.id
    return line


def _value(source: Source, function: Function, line: int, name: str) -> ast.expr | None:
    """Return the argument that a call in a line passes as a parameter; a starred one if it covers the parameter."""
    for call in (node for node in function.nodes if isinstance(node, ast.Call)):
        called = ast.unparse(call.func.value if isinstance(call.func, ast.Subscript) else call.func)
        known = next((one for one in source.functions if one.name == called), None)
        if known is None or name not in known.parameters or not call.lineno <= line <= (call.end_lineno or line):
            continue
        named = {word.arg: word.value for word in call.keywords}
        others = [one for one in known.parameters if one not in named]
        given = [argument for one in call.args for argument in _unpacked(one, function)]
        return named[name] if name in named else _positional(given, others, name)
    return None


def _unpacked(argument: ast.expr, function: Function) -> list[ast.expr]:
    """Return the arguments that a starred one expands to, if its only assignment lists them."""
    match argument:
        case ast.Starred(ast.Tuple(elements)):
            return elements
        case ast.Starred(ast.Name(name)):
            match function.giving(name):
                case [Assignment(value=ast.Tuple(elements))]:
                    return elements
    return [argument]


def _positional(given: Sequence[ast.expr], parameters: Sequence[str], name: str) -> ast.expr | None:
    """Return the argument of a parameter; after a starred argument count from the end; within one return that one.

    Several starred arguments are taken as equally long.
    """
    stars = [number for number, argument in enumerate(given) if isinstance(argument, ast.Starred)]
    each, rest = divmod(len(parameters) - len(given) + len(stars), max(1, len(stars)))
    if len(stars) > 1 and each > 0 and not rest:
        given = [one for argument in given for one in [argument] * (each if isinstance(argument, ast.Starred) else 1)]
        return given[parameters.index(name)]
    place, back = parameters.index(name), len(parameters) - parameters.index(name)
    if not stars or place < stars[0]:
        return given[place] if place < len(given) else None
    return given[-back] if back < len(given) - stars[-1] else given[stars[0]]
