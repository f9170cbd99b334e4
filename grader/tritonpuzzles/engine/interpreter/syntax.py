"""Build pieces of syntax trees that call the engine, with the source positions of the nodes that they replace."""

from __future__ import annotations

import ast
from typing import Any

ENGINE = "_tp"
LOCALS = "_tp_locals"  # Python's `locals`: a kernel's globals may lack Python's builtins


def placed(new: Any, old: ast.AST) -> Any:
    """Give every new node without a position the position of the node that it replaces."""
    for node in ast.walk(new):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
            for name in ("lineno", "col_offset"):  # a traceback may name the last line of a call
                setattr(node, f"end_{name}", getattr(node, name))
    return new


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def attribute(name: str, attribute: str) -> ast.Attribute:
    return ast.Attribute(load(name), attribute, ast.Load())


def engine_call(method: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a method of the engine, or of one of its parts: "asking.turn"."""
    function: ast.expr = load(ENGINE)
    for name in method.split("."):
        function = ast.Attribute(function, name, ast.Load())
    return ast.Call(function, list(arguments), [])


def method(name: str, method: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(attribute(name, method), list(arguments), [])


def locals_now() -> ast.Call:
    return ast.Call(load(LOCALS), [], [])


def assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def if_then(test: ast.expr, body: list[ast.stmt]) -> ast.If:
    return ast.If(test, body, [])


def strings(names: list[str]) -> ast.Tuple:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def later(value: ast.expr) -> ast.Lambda:
    """Return a lambda that evaluates an expression when it is called."""
    return ast.Lambda(ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]), value)
