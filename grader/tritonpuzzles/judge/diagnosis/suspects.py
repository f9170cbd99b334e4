"""Which lines a line of a kernel depends on: its backward slice (Weiser 1984), by names, without order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def slice_of(text: str, line: int) -> frozenset[int]:
    """Return the lines that the places of loads and stores in one line of a kernel depend on, that line too.

    Of a line without any, what everything in it depends on. Loops and branches around a line count, those that return,
    and what they depend on, and the calls of a helper; a name is whatever is assigned to it anywhere. None of a line
    that stands in no function, or in a file that is no Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    waiting = [(function, line) for function in functions if _covers(function, line)][-1:]
    found: dict[int, None] = {}
    known: set[str] = set()
    while waiting:
        function, line = waiting.pop()
        known.add(function.name)
        found |= dict.fromkeys(_within(function, line))
        for other in functions:
            calls = (node for node in ast.walk(other) if isinstance(node, ast.Call) and other.name not in known)
            waiting += [(other, call.lineno) for call in calls if ast.unparse(call.func) == function.name]
    return frozenset(found)


def read_in(text: str, line: int) -> set[str]:
    """Return the names that a line reads, in whichever function; none of a file that is no Python."""
    try:
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.lineno == line]
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


def _within(function: ast.FunctionDef, line: int) -> Iterator[int]:
    """Yield the lines of one function that the places in one of its lines depend on."""
    statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    returning = [one for one in statements if isinstance(one, ast.If) and any(map(_returns, ast.walk(one)))]
    waiting = [one for one in statements if _covers(one, line) or one in returning]
    names = _names(part for one in waiting for part in _places(one, line))
    found: list[ast.stmt] = []
    while waiting:
        found += waiting
        names |= _names(part for one in waiting if not _covers(one, line) for part in _own(one))
        around = [outer for outer in statements if any(_covers(outer, one.lineno) for one in waiting)]
        made = [one for one in statements if names & set(_assigned(one))]
        waiting = [one for one in dict.fromkeys([*around, *made]) if one not in found]
    return (part.lineno for one in found for part in _own(one))


def _returns(node: ast.AST) -> bool:
    return isinstance(node, ast.Return)


def _names(parts: Iterable[ast.expr]) -> set[str]:
    return {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}


def _places(statement: ast.stmt, line: int) -> list[ast.expr]:
    """Return addresses and masks of the loads and stores of a line; all expressions where there are none."""
    found: list[ast.expr] = []
    for part in _own(statement):
        for node in ast.walk(part):
            match node:
                case ast.Call(ast.Attribute(attr="load" | "store" as kind), [address, *others], keywords):
                    masks = [*others[kind == "store" :][:1], *(word.value for word in keywords if word.arg == "mask")]
                    found += [address, *masks] if _covers(node, line) else []
    return found or _own(statement)


def _covers(node: ast.stmt | ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _own(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement, without those of statements in it."""
    return [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]


def _assigned(statement: ast.stmt) -> Iterator[str]:
    for target in _own(statement):
        yield from (
            node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
