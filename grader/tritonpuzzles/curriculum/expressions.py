"""The small expression language of records, for shapes and limits: `"cdiv(n, 16)"`, `"prime(500, 900)"`.

It has numbers, names, `+ - * / // **`, `k if turned else m`, and the functions below; anything else is refused when the
record is read. Sizes and most limits are whole numbers; how often a tensor may be read may be a fraction.
"""

from __future__ import annotations

import ast
import functools
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from tritonpuzzles.decoding.marks import Called

Expression = Annotated[int | str, Called("a whole number or an expression")]
# An expression whose value may be a fraction.
Multiple = Annotated[int | float | str, Called("a number of at least 0 or an expression")]

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
WITHOUT_VALUE = (ArithmeticError, IndexError, ValueError, TypeError, MemoryError)  # a well-formed one may raise these


class ExpressionError(ValueError):
    """An expression in a record is not part of this language, or has no valid value."""


def cdiv(a: int, b: int) -> int:
    """Return a / b rounded up."""
    return -(-a // b)


def next_power_of_2(n: int) -> int:
    """Return the smallest power of two that is at least n, and at least 1."""
    return 1 << max(0, n - 1).bit_length()


@functools.cache
def is_prime(n: int) -> bool:
    """Return whether n is a prime number."""
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))


FUNCTIONS: dict[str, Callable[..., int]] = {"cdiv": cdiv, "next_power_of_2": next_power_of_2, "max": max, "min": min}


def _draws(rng: random.Random) -> dict[str, Callable[..., int]]:
    """Return the functions that draw: shapes come from a run's seed, so that no solution can hard-code them."""
    return {
        "between": lambda low, high: rng.randint(low, high),
        "prime": lambda low, high: rng.choice([n for n in range(low, high + 1) if is_prime(n)]),
        "one_of": lambda *options: rng.choice(options),
    }


def evaluate(expression: Multiple, names: Mapping[str, int] | None = None, rng: random.Random | None = None) -> int:
    """Return the value of an expression; raises ExpressionError for a fraction, and as `fraction` does."""
    found = fraction(expression, names or {}, rng)
    if not isinstance(found, int):
        raise ExpressionError(
            f"{expression!r} may be a fraction ({found}); a whole number is expected, as of a // b or cdiv(a, b)"
        )
    return found


def fraction(expression: Multiple, names: Mapping[str, int], rng: random.Random | None = None) -> int | float:
    """Return the value of an expression that may be a fraction.

    `between`, `prime` and `one_of` draw from `rng`; without one, expressions may not draw. Raises ExpressionError for
    an unknown name, function or construct.
    """
    if not isinstance(expression, str):
        return expression
    functions = FUNCTIONS if rng is None else {**FUNCTIONS, **_draws(rng)}

    def value(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int(number) | float(number)) if not isinstance(number, bool):
                return number
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(left), value(right))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return value(body if value(test) else orelse)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in functions:
                return functions[name](*map(value, args))
        known = ", ".join([*names, *functions])
        raise ExpressionError(f"{ast.unparse(node)!r} in {expression!r} is not known here; known: {known}")

    found: int | float = value(_parsed(expression))
    if not isinstance(found, (int, float)):
        raise ExpressionError(f"{expression!r} is {found}, which is no number to count with")
    return found


def shape_of(
    expressions: Sequence[Expression] | None, dims: Mapping[str, int], flags: Mapping[str, int]
) -> tuple[int, ...]:
    """Return the shape of an argument or output for some dimensions; the case's shape if there are no expressions.

    Flags are the boolean arguments. Raises ExpressionError if a length has no value, or is negative.
    """
    if expressions is None:
        return tuple(dims.values())
    return tuple(size_of(length, {**dims, **flags}) for length in expressions)


def size_of(expression: Expression, names: Mapping[str, int], rng: random.Random | None = None) -> int:
    """Return the value of an expression that is a size; raises ExpressionError if it has none, or is negative."""
    sizes = "".join(f", where {name} = {names[name]}" for name in sorted(names_in(expression)))
    try:
        size = evaluate(expression, names, rng)
    except ExpressionError:
        raise
    except WITHOUT_VALUE as error:
        raise ExpressionError(f"{expression!r} has no value{sizes}: {error}") from error
    if size < 0:
        raise ExpressionError(f"{expression!r} is {size}{sizes}; a size is 0 or more")
    return size


def names_in(expression: Multiple) -> set[str]:
    """Return the names that an expression needs values for; raises ExpressionError if it is not an expression."""
    if not isinstance(expression, str):
        return set()
    tree = _parsed(expression)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def check_names(expression: Multiple, draws: bool, fractions: bool) -> None:
    """Evaluate an expression once, with 2 for every name; raises ExpressionError for what it cannot have.

    That is an unknown function or construct, or a division by 0.
    """
    try:
        value_of = fraction if fractions else evaluate
        value_of(expression, dict.fromkeys(names_in(expression), 2), random.Random(0) if draws else None)
    except ExpressionError:
        raise
    except WITHOUT_VALUE as error:
        raise ExpressionError(f"{expression!r} has no value: {error}") from error


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ExpressionError(f"{text!r} is not an expression") from error
