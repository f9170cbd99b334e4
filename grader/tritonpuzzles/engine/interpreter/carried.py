"""Whether a loop carries anything from one turn to the next: sums, running maxima, pointers that move on."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def carries(body: Iterable[ast.stmt], target: str | None) -> bool:
    """Return whether a turn reads a name before it assigns it, and assigns it somewhere.

    Args:
        body: of the loop; branches and inner loops in it are taken to run.
        target: the loop's own variable.
    """
    order = _Order()
    for statement in body:
        order.visit(statement)
    return any(order.reads_first[name] for name in order.names_assigned - {target})


class _Order(ast.NodeVisitor):
    """Walk over statements as they are evaluated: values before the names that get them."""

    def __init__(self) -> None:
        self.names_assigned: set[str] = set()
        self.reads_first: dict[str, bool] = {}

    def visit_Name(self, node: ast.Name) -> None:
        is_read = isinstance(node.ctx, ast.Load)
        self.reads_first.setdefault(node.id, is_read)
        if not is_read:
            self.names_assigned.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.reads_first.setdefault(node.target.id, True)
        self.visit(node.target)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)
