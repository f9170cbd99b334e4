"""What the names of a kernel stand for: a pointer, whole numbers, other numbers or a mask, as far as its text tells."""

from __future__ import annotations

import ast
import enum
from collections.abc import Mapping

from tritonpuzzles.source.functions import Function

WHOLE_CALLS = frozenset(
    {"program_id", "num_programs", "arange", "cdiv", "range", "min", "max_contiguous", "multiple_of"}
)
ROUNDS = 3  # until a loop's names know each other


class NameKind(enum.Enum):
    """What a name stands for."""

    POINTER = "pointer"
    NUMBER = "number"
    WHOLE = "whole"
    MASK = "mask"


def kinds_of(function: Function, given: Mapping[str, NameKind]) -> dict[str, NameKind]:
    """Return the kinds of a function's names.

    Args:
        function: a kernel.
        given: kinds of its parameters, as a launch passes them.
    """
    known = dict(given)
    made = [(one.name, one.value) for one in function.assignments if one.name]
    loops = (node for node in function.nodes if isinstance(node, ast.For))
    made += [(loop.target.id, loop.iter) for loop in loops if isinstance(loop.target, ast.Name)]
    for _ in range(ROUNDS):
        for name, value in made:
            kind = _kind(value, known)
            if kind is not None and known.get(name) not in (NameKind.POINTER, NameKind.NUMBER):
                known[name] = kind
    return known


def _kind(value: ast.expr, known: Mapping[str, NameKind]) -> NameKind | None:
    match value:
        case ast.Name(name):
            return known.get(name)
        case ast.Compare() | ast.UnaryOp(ast.Not() | ast.Invert()):
            return NameKind.MASK
        case ast.Constant(number):
            return NameKind.WHOLE if isinstance(number, int) else NameKind.NUMBER
        case ast.Subscript(inner) | ast.UnaryOp(_, inner) | ast.Call(ast.Attribute(inner, "to")):
            return _kind(inner, known)
        case ast.BinOp(left, ast.Div(), right):
            return NameKind.NUMBER
        case ast.BinOp(left, _, right):
            both = {_kind(left, known), _kind(right, known)}
            return next((kind for kind in NameKind if kind in both), None)
        case ast.Call(ast.Attribute(attr=name) | ast.Name(name)):
            return NameKind.WHOLE if name in WHOLE_CALLS else NameKind.NUMBER
    return None
