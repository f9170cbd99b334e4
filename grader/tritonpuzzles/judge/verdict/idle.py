"""Factors that are 1 whatever a kernel is given, as its text shows: the exponential of a number less itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from tritonpuzzles.judge.verdict.parsed import spelled_out

EXPONENTIALS = ("exp", "exp2")


@dataclass(frozen=True)
class Idle:
    """One of them.

    Attributes:
        line: of the exponential.
        left, right: names of the two numbers.
        copied: where one became the other, the last time; the line itself where both are one name.
    """

    line: int
    left: str
    right: str
    copied: int

    @property
    def text(self) -> str:
        """What is wrong with it."""
        same = f"{self.left} is {self.right} itself in line {self.line}, since line {self.copied}"
        if self.left == self.right:
            same = f"Line {self.line} subtracts {self.left} from itself"
        return f"{same}: the factor is always 1, and what was summed before is not rescaled."


def idle_factor(path: Path) -> Idle | None:
    """Return the first such factor in a file's kernels and their helpers, in a loop or not."""
    found = (idle for _, function in spelled_out(path) for block in _blocks(function) for idle in _idle(block))
    return min(found, key=lambda one: one.line, default=None)


def _blocks(function: ast.FunctionDef) -> Iterator[Sequence[ast.stmt]]:
    """Yield the statements of a function, and of each loop and branch in it."""
    for node in ast.walk(function):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list):
                yield body


def _idle(block: Sequence[ast.stmt]) -> Iterator[Idle]:
    """Number the values that names hold, statement by statement; a copy has the number of what is copied."""
    values: dict[str, tuple[int, int]] = {}  # name -> number of its value, and the line that gave it to the name
    fresh = 0
    for statement in block:
        nodes = (
            () if hasattr(statement, "body") else ast.walk(statement)
        )  # a loop's or a branch's own come by themselves
        for node in nodes:
            for line, left, right in _subtracted(node):
                if left == right:
                    yield Idle(line, left, right, line)
                elif left in values and right in values and values[left][0] == values[right][0]:
                    yield Idle(line, left, right, max(values[left][1], values[right][1]))
        match statement:
            case ast.Assign([ast.Name(target)], ast.Name(source)):
                fresh += 1
                values.setdefault(source, (fresh, statement.lineno))
                values[target] = values[source][0], statement.lineno
            case _:
                for name in _assigned(statement):
                    fresh += 1
                    values[name] = fresh, statement.lineno


def _subtracted(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield line and names of which an exponential takes the difference, or some multiple of it."""
    match node:
        case ast.Call(ast.Attribute(attr=name), [exponent]) if name in EXPONENTIALS:
            factors = [exponent.left, exponent.right] if _is_product(exponent) else [exponent]
            for factor in factors:
                match factor:
                    case ast.BinOp(ast.Name(left), ast.Sub(), ast.Name(right)):
                        yield exponent.lineno, left, right


def _is_product(exponent: ast.expr) -> TypeGuard[ast.BinOp]:
    return isinstance(exponent, ast.BinOp) and isinstance(exponent.op, ast.Mult)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement, or one in it, assigns."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
