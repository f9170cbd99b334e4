"""A `while` that can never end: what its condition depends on is the same after an iteration as before.

Which names that are, a kernel's text tells; whether they have changed, their values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.errors import EndlessLoopError

ARITHMETIC = frozenset(
    {"arange", "cdiv", "minimum", "maximum", "min", "max", "where", "to", "full", "zeros", "sum", "range"}
)


def deciding(test: ast.expr, body: Sequence[ast.stmt]) -> tuple[str, ...] | None:
    """Return the names, assigned in a loop, that its condition depends on; `None` where memory may decide.

    Args:
        test: the loop's condition.
        body: of the loop.
    """
    made = [*_made(body)]
    found, waiting = set[str](), [test]
    while waiting:
        part = waiting.pop()
        if any(_may_read(node) for node in ast.walk(part)):
            return None
        new = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} - found
        found |= new
        waiting += [value for name, value in made if name in new]
    return tuple(sorted(found & {name for name, _ in made}))


def raise_if_endless(names: Sequence[str], before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of names before an iteration.

    Args:
        names: what the loop's condition depends on.
        before: their values before the last iteration, if there was one.
        now: a kernel's variables.

    Raises:
        EndlessLoopError: the iteration has changed none of them.
    """
    values = {name: _plain(now[name]) for name in names if name in now}
    if before is not None and all(_is_same(before.get(name), value) for name, value in values.items()):
        raise EndlessLoopError(tuple(names))
    return values


def _made(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield what names are made of in a loop, and the conditions under which they are."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    yield from ((name, value) for target in targets for name in _stored(target))
                case ast.AugAssign(target=target, value=value):
                    yield from ((name, value) for name in _stored(target))
                case ast.For(target=target, iter=value, body=inner):
                    yield from ((name, value) for name in (*_stored(target), *_all_stored(inner)))
                case ast.If(test=value, body=inner, orelse=other):
                    yield from ((name, value) for name in _all_stored([*inner, *other]))
                case ast.While(test=value, body=inner):
                    yield from ((name, value) for name in _all_stored(inner))


def _all_stored(body: Sequence[ast.stmt]) -> set[str]:
    return {name for statement in body for name in _stored(statement)}


def _stored(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}


def _may_read(node: ast.AST) -> bool:
    """Return whether a call may give another value for the same arguments: it loads, or is a function of the file."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name not in ARITHMETIC


def _plain(value: Any) -> Any:
    """Return the numbers of a tensor, which the engine may write over."""
    return np.copy(value.handle.data) if isinstance(value, tl.tensor) else value


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        same: bool = np.array_equal(one, other)
        return same
    return type(one) is type(other) and bool(one == other)
