"""Limit the size of a text's constants and of values computed from them: `10 ** 10 ** 9` never ends in Python."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

MAX_BITS = 128  # of an integer literal
MAX_RESULT_BITS = 4096  # of a computed integer
MAX_CHARACTERS = 4096

Number = int | float
_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}


class TooLargeError(Exception):
    """A constant, or a value computed from constants, is too large for any kernel; the message is a clause."""


def check_constant(node: ast.Constant, *, alone: bool) -> None:
    """Raise TooLargeError for a constant that is too large; `alone`, as a docstring stands, a text may be long."""
    value = node.value
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise TooLargeError(f"a number in it has {value.bit_length():,} bits, and a kernel's have at most 64")
    if isinstance(value, (str, bytes)) and len(value) > MAX_CHARACTERS and not alone:
        raise TooLargeError(f"a text in it has {len(value):,} characters; the most is {MAX_CHARACTERS:,}")


def check_operation(node: ast.BinOp) -> None:
    """Raise TooLargeError for a power, a shift or a repetition whose result would be huge."""
    right = number(node.right)
    if not isinstance(right, int) or abs(right) <= 64:
        return
    if isinstance(node.op, ast.Pow):
        left = number(node.left)
        bits = left.bit_length() if isinstance(left, int) else 64
        if not isinstance(left, float) and bits * right > MAX_RESULT_BITS:
            raise TooLargeError(f"a power in it has the exponent {_shown(right)}")
    if isinstance(node.op, ast.LShift) and right > MAX_RESULT_BITS:
        raise TooLargeError(f"a shift in it goes {_shown(right)} bits")
    if isinstance(node.op, ast.Mult) and right > MAX_CHARACTERS and _is_sequence(node.left):
        raise TooLargeError(f"something in it is repeated {_shown(right)} times")


def _shown(value: int) -> str:
    return f"{value:,}" if value.bit_length() < 64 else f"of {value.bit_length():,} bits"


def _is_sequence(node: ast.expr) -> bool:
    written = isinstance(node, (ast.List, ast.Tuple, ast.JoinedStr, ast.ListComp))
    return written or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def number(node: ast.expr) -> Number | None:
    """Return the value of an expression that contains only numbers, `None` for any other.

    Raises TooLargeError if an intermediate result is too large.
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (int, float)) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp):
        return None
    left, right = number(node.left), number(node.right)
    if left is None or right is None:
        return None
    return _applied(node, left, right)


def _applied(node: ast.BinOp, left: Number, right: Number) -> Number | None:
    check_operation(node)
    try:
        if isinstance(node.op, ast.Pow):
            value: Number = left**right
        elif isinstance(node.op, ast.LShift) and isinstance(left, int) and isinstance(right, int):
            value = left << right
        else:
            value = _OPERATORS[type(node.op)](left, right)
    except (KeyError, ArithmeticError, ValueError):
        return None
    if isinstance(value, int) and value.bit_length() > MAX_RESULT_BITS:
        raise TooLargeError(f"a number computed in it has {value.bit_length():,} bits")
    return value if isinstance(value, (int, float)) else None
