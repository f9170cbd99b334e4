"""The scalars of one program that follow from its id and the launch's arguments alone, by the kernel's text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from tritonpuzzles.source.functions import Function

MOST_STEPS = 10_000  # a text may evaluate one name twice for each use of another
LARGEST = 1 << 63
Numbers = Callable[[int, int], int]


def _quotient(a: int, b: int) -> int:
    """Divide as a kernel does: towards 0."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


_OPERATORS: Mapping[type[ast.operator], Numbers] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: _quotient,
    ast.Mod: lambda a, b: a - b * _quotient(a, b),
}
_FUNCTIONS: Mapping[str, Numbers] = {"cdiv": lambda a, b: -(-a // b), "min": min, "max": max}
_FUNCTIONS = {**_FUNCTIONS, "minimum": min, "maximum": max}


class Scalars:
    """Evaluates scalars of a kernel for one program, by its ids along the grid's axes and the launch's arguments."""

    def __init__(
        self, function: Function, bound: Mapping[str, Any], program: tuple[int, ...], grid: tuple[int, ...]
    ) -> None:
        self._function, self._bound, self._program, self._grid = function, bound, program, grid
        self._left = MOST_STEPS

    def of(self, part: ast.expr, line: int) -> int | None:
        """Return the value of an expression in a line of the file; `None` if it needs more than scalars."""
        try:
            return self._of(part, line)
        except (ZeroDivisionError, RecursionError):
            return None

    def _of(self, part: ast.expr, line: int) -> int | None:
        self._left -= 1
        if self._left < 0:
            return None
        match part:
            case ast.Constant(int(value)) if type(value) is int:
                return value
            case ast.Name(name):
                return self._named(name, line)
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return self._joined(_OPERATORS[type(operator)], left, right, line)
            case ast.Call(ast.Attribute(value, "to")):
                return self._of(value, line)
            case ast.Call(func, [ast.Constant(int(axis))]):
                numbers = {"program_id": self._program, "num_programs": self._grid}.get(_last(func), ())
                return numbers[axis] if axis < len(numbers) else None
            case ast.Call(func, [left, right]) if _last(func) in _FUNCTIONS:
                return self._joined(_FUNCTIONS[_last(func)], left, right, line)
        return None

    def _joined(self, operation: Numbers, left: ast.expr, right: ast.expr, line: int) -> int | None:
        a, b = self._of(left, line), self._of(right, line)
        found = None if a is None or b is None else operation(a, b)
        return found if found is not None and abs(found) <= LARGEST else None

    def _named(self, name: str, line: int) -> int | None:
        """Return the value of a name that is assigned once, or that the launch passes."""
        reaching = self._function.reaching(name, line)
        if not reaching:
            value = self._bound.get(name)
            return value if type(value) is int else None
        (step, *others) = reaching
        return self._of(step.added, step.line) if step.is_sure and not others and step.line < line else None


def _last(func: ast.expr) -> str:
    return ast.unparse(func).rpartition(".")[2]
