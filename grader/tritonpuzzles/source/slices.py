"""The lines of a file that a line of one of its kernels depends on.

A backward slice, Weiser 1981, which ignores the order of statements: every assignment to a name counts.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from tritonpuzzles.source.file import Source
from tritonpuzzles.source.functions import Function, is_call, lines_of, names_in


def slice_of(source: Source, line: int) -> frozenset[int]:
    """Return the lines that the addresses and masks in one line of a kernel depend on, that line included.

    If the line has no access, all of its expressions count. Also included are loops and branches around a line,
    branches that return, all that these depend on, the calls of a helper, and helpers that these lines call. The result
    is empty for a line outside of all functions.
    """
    waiting = [(function, line) for function in source.functions if line in function.lines][-1:]
    found: dict[int, None] = {}
    known: set[str] = set()
    while waiting:
        function, line = waiting.pop()
        known.add(function.name)
        found |= dict.fromkeys(_within(function, line))
        for other in (other for other in source.functions if other.name not in known):
            calls = (node for node in other.nodes if isinstance(node, ast.Call))
            waiting += [(other, call.lineno) for call in calls if ast.unparse(call.func) == function.name]
    return frozenset(found).union(*(helper.lines for helper in _called(source, found)))


def _called(source: Source, lines: Container[int]) -> Iterator[Function]:
    """Yield the functions of the file that some lines of it call."""
    calls = (node for node in source.nodes if isinstance(node, ast.Call) and node.lineno in lines)
    names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    return (one for one in source.functions if one.name in names)


def _within(function: Function, line: int) -> Iterator[int]:
    """Yield the lines of one function that the addresses and masks in one of its lines depend on."""
    statements = [node for node in function.nodes if isinstance(node, ast.stmt) and node is not function.node]
    returning = [one for one in function.branches if any(isinstance(node, ast.Return) for node in ast.walk(one))]
    waiting = [one for one in statements if line in lines_of(one) or one in returning]
    names = names_in(*(part for one in waiting for part in _places(one, line)))
    found: list[ast.stmt] = []
    while waiting:
        found += waiting
        names |= names_in(*(part for one in waiting if line not in lines_of(one) for part in _own(one)))
        around = [outer for outer in statements if any(one.lineno in lines_of(outer) for one in waiting)]
        made = [one for one in statements if names & _assigned(one)]
        waiting = [one for one in dict.fromkeys([*around, *made]) if one not in found]
    return (part.lineno for one in found for part in _own(one))


def _places(statement: ast.stmt, line: int) -> list[ast.expr]:
    """Return addresses and masks of the loads and stores of a line; all expressions if there are none."""
    found: list[ast.expr] = []
    for call in (node for part in _own(statement) for node in ast.walk(part)):
        if isinstance(call, ast.Call) and is_call(call, "load", "store") and call.args and call.lineno <= line:
            address, *others = call.args
            masks = [*others[is_call(call, "store") :][:1], *(one.value for one in call.keywords if one.arg == "mask")]
            found += [address, *masks] if line <= (call.end_lineno or line) else []
    return found or _own(statement)


def _own(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement, without those of nested statements."""
    return [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]


def _assigned(statement: ast.stmt) -> set[str]:
    nodes = (node for part in _own(statement) for node in ast.walk(part) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
