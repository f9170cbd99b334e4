"""Whether a loop carries what an address may depend on to the next iteration: pointers that move on, and offsets.

Sums, products and maxima of what was loaded are values, and no part of an address.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

_LEAVES = (ast.Return, ast.Break, ast.Continue)
REDUCTIONS = frozenset({"dot", "sum", "max", "min"})


def carries(body: Iterable[ast.stmt], target: str | None) -> bool:
    """Return whether an iteration reads a name before it assigns it, and assigns it something that may be an address.

    Args:
        body: of the loop; branches and inner loops in it are taken to run.
        target: the loop's own variable.
    """
    order = _Order()
    for statement in body:
        order.visit(statement)
    carried = {name for name in order.names_assigned - {target} if order.reads_first[name]}
    return bool(carried - _values(order.given))


def _values(given: Mapping[str, Sequence[ast.expr]]) -> set[str]:
    """Return the names that are given nothing but what is reduced of tiles, and other names that are."""
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
    """Walk over statements as they are evaluated: values before the names that get them."""

    def __init__(self) -> None:
        self.names_assigned: set[str] = set()
        self.reads_first: dict[str, bool] = {}
        self.given: dict[str, list[ast.expr]] = defaultdict(list)  # by name, what is assigned to it or added

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
        """Note what each name of a target gets: of a pair its own part."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for inner, given in zip(target.elts, value.elts, strict=True):
                self._give(inner, given)
        elif isinstance(target, ast.Name):
            self.given[target.id].append(value)
        elif isinstance(target, ast.Tuple):
            for inner in target.elts:
                self._give(inner, value)


def can_mask(body: list[ast.stmt]) -> bool:
    """Whether a body can run for some programs only: it must not leave early or assign to anything but names."""
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
