"""Analyse a kernel's source before it runs: what a loop carries, whether it can end, whether a part of it stores.

A loop carries names to the next iteration that an address may depend on: pointers that advance, and offsets. Sums,
products and maxima of loaded tiles are values, and not part of an address. A `while` never ends if an iteration changes
none of the values that its condition depends on. The source gives their names; whether they change is checked at run
time.
"""

from __future__ import annotations

import ast
import textwrap
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.errors import EndlessLoopError
from tritonpuzzles.insides import JITFunction

_LEAVES = (ast.Return, ast.Break, ast.Continue)
REDUCTIONS = frozenset({"dot", "sum", "max", "min"})
ARITHMETIC = frozenset(
    {"arange", "cdiv", "minimum", "maximum", "min", "max", "where", "to", "full", "zeros", "sum", "range"}
)
PLAIN = ("store",)
_STORES = (*PLAIN, "atomic")


def carries(body: Iterable[ast.stmt], target: str | None) -> bool:
    """Return whether an iteration reads a name before it assigns it, and the assigned value may be part of an address.

    Branches and inner loops in the body are assumed to run; `target` is the loop's own variable.
    """
    order = _Order()
    for statement in body:
        order.visit(statement)
    carried = {name for name in order.names_assigned - {target} if order.reads_first[name]}
    return bool(carried - _values(order.given))


def _values(given: Mapping[str, Sequence[ast.expr]]) -> set[str]:
    """Return the names that are only assigned reductions of tiles, or other such names."""
    known: set[str] = set()
    while True:
        found = {name for name, values in given.items() if all(_is_value(value, known) for value in values)}
        if found == known:
            return known
        known = found


def _is_value(value: ast.expr, known: Container[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in known
    calls = (node.func for node in ast.walk(value) if isinstance(node, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in REDUCTIONS for call in calls)


class _Order(ast.NodeVisitor):
    """Visit statements in order of evaluation: values before the names that they are assigned to."""

    def __init__(self) -> None:
        self.names_assigned: set[str] = set()
        self.reads_first: dict[str, bool] = {}
        self.given: dict[str, list[ast.expr]] = defaultdict(list)  # name -> expressions assigned or added to it

    def visit_Name(self, node: ast.Name) -> None:
        is_read = isinstance(node.ctx, ast.Load)
        self.reads_first.setdefault(node.id, is_read)
        if not is_read:
            self.names_assigned.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)
            self._give(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._give(node.target, node.value)
        self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.reads_first.setdefault(node.target.id, True)
        self.visit(node.target)
        self._give(node.target, node.value)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def _give(self, target: ast.expr, value: ast.expr) -> None:
        """Note the expression assigned to each name of a target; tuples of the same length are paired up."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for inner, given in zip(target.elts, value.elts, strict=True):
                self._give(inner, given)
        elif isinstance(target, ast.Name):
            self.given[target.id].append(value)
        elif isinstance(target, ast.Tuple):
            for inner in target.elts:
                self._give(inner, value)


def deciding(test: ast.expr, body: Sequence[ast.stmt]) -> tuple[str, ...] | None:
    """Return the names, assigned in a loop, that its condition depends on; `None` if it may depend on memory.

    If the loop only loads, the compiler takes a plain load for the same in every iteration.
    """
    made = [*_made(body)]
    found, waiting = set[str](), [test]
    only_loads = not any(_may_read(node, True) for part in (test, *body) for node in ast.walk(part))
    while waiting:
        part = waiting.pop()
        if any(_may_read(node, only_loads) for node in ast.walk(part)):
            return None
        new = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} - found
        found |= new
        waiting += [value for name, value in made if name in new]
    return tuple(sorted(found & {name for name, _ in made}))


def raise_if_endless(names: Sequence[str], before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the names that a loop's condition depends on.

    Raises EndlessLoopError if all of them equal those `before` the last iteration.
    """
    values = {name: _plain(now[name]) for name in names if name in now}
    if before is not None and all(_is_same(before.get(name), value) for name, value in values.items()):
        raise EndlessLoopError(tuple(names))
    return values


def _made(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name assigned in a loop with an expression that it depends on: a value, or a condition around it."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    yield from ((name, value) for name in assigned(targets))
                case (
                    ast.AugAssign(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    yield from ((name, value) for name in assigned([target]))
                case ast.For(target=target, iter=value, body=inner):
                    yield from ((name, value) for name in assigned([target, *inner]))
                case ast.If(test=value, body=inner, orelse=other):
                    yield from ((name, value) for name in assigned([*inner, *other]))
                case ast.While(test=value, body=inner):
                    yield from ((name, value) for name in assigned(inner))


def _may_read(node: ast.AST, only_loads: bool) -> bool:
    """Return whether a call may give another value for the same arguments: it loads, or is a function of the file.

    `only_loads`: a plain load does not.
    """
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    is_plain = name == "load" and not any(keyword.arg in (None, "volatile") for keyword in node.keywords)
    return name not in ARITHMETIC and not (only_loads and is_plain)


def _plain(value: Any) -> Any:
    """Return a copy of a tensor's data, which the engine may overwrite, or any other value itself."""
    return np.copy(value.handle.data) if isinstance(value, tl.tensor) else value


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        same: bool = np.array_equal(one, other)
        return same
    return type(one) is type(other) and bool(one == other)


def called_in(body: Iterable[ast.AST]) -> list[str]:
    """Return the names of functions called in statements: `helper` for `helper(...)`, `.store` for `tl.store(...)`."""
    calls = (node.func for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call))
    return sorted({f".{name.attr}" if isinstance(name, ast.Attribute) else ast.unparse(name) for name in calls})


def stores(called: Iterable[str], names: Mapping[str, Any], kinds: tuple[str, ...] = _STORES) -> bool:
    """Return whether any of the called functions stores something, directly or through other functions.

    called: as `called_in` returns it. names: the kernel's globals. kinds: prefixes of names that count as stores.
    """
    functions = [names[name] for name in called if isinstance(names.get(name), JITFunction)]
    return any(name.lstrip(".").startswith(kinds) for name in called) or any(_stores(f, kinds) for f in functions)


@cache
def _stores(function: Any, kinds: tuple[str, ...]) -> bool:
    """Return whether a kernel's helper function stores; ends, as the compiler allows no recursion."""
    body = ast.parse(textwrap.dedent("".join(function.raw_src))).body
    return stores(called_in(body), function.get_capture_scope(), kinds)


def can_mask(body: list[ast.stmt]) -> bool:
    """Return whether a body can run for some programs only: it must not leave early, and may assign only to names."""
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, (*_LEAVES, ast.Delete, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.Try, ast.With)):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)) and isinstance(node.ctx, ast.Store):
            return False
    return True


def assigned(body: Iterable[ast.AST]) -> list[str]:
    """Return the names that statements assign."""
    nodes = (inner for statement in body for inner in ast.walk(statement))
    return sorted({node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)})
