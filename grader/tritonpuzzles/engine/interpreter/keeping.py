"""Make a kernel report its assignments, the values its functions return, and the iterations of its loops.

Applied to the syntax tree before `rewrite.py`; line numbers do not change. `_tp` is the engine (`control.Control`).
"""

from __future__ import annotations

import ast
from typing import Any

from tritonpuzzles.engine.interpreter.syntax import engine_call, load, placed


class Keeping(ast.NodeTransformer):
    """Adds calls that report these, in a tree whose first line is line `first_line` of the file."""

    def __init__(self, first_line: int) -> None:
        self._before = first_line - 1

    def visit_Assign(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[ast.stmt]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is None or not all(isinstance(target, (ast.Name, ast.Tuple)) for target in targets):
            return [node]
        names = [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
        kept = (_statement(node, "kept", self._line(node), ast.Constant(name), load(name)) for name in names)
        return [node, *kept]

    visit_AugAssign = visit_AnnAssign = visit_Assign

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is not None:
            node.value = placed(engine_call("returned", self._line(node), node.value), node.value)
        return node

    def visit_For(self, node: ast.For | ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        node.body = [_statement(node.body[0], "states.turn"), *node.body]
        return [_statement(node, "states.enter", self._line(node)), node, _statement(node, "states.leave")]

    visit_While = visit_For

    def _line(self, node: ast.stmt) -> ast.Constant:
        return ast.Constant(node.lineno + self._before)


def _statement(place: ast.stmt, method: str, *arguments: ast.expr) -> ast.stmt:
    statement: ast.stmt = placed(ast.Expr(engine_call(method, *arguments)), place)
    return statement
