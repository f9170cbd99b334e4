"""Factors that are 1 whatever a kernel is given, as its text shows: the exponential of a number less itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import factors


class Idle(NamedTuple):
    """An exponential of `left` less `right`, and the line in which one became the other, the last time."""

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


def idle_factor(source: Source) -> Idle | None:
    """Return the first such factor in a file's kernels and their helpers, in a loop or not."""
    parts = [getattr(node, part, None) for node in source.nodes for part in ("body", "orelse")]
    blocks = (part for part in parts if isinstance(part, list))
    return min((idle for block in blocks for idle in _idle(block, source)), key=lambda one: one.line, default=None)


def _idle(block: Sequence[ast.stmt], source: Source) -> Iterator[Idle]:
    """Number the values that names hold, statement by statement; a copy has the number of what is copied."""
    values: dict[str, tuple[int, int]] = {}  # name -> number of its value, and the line that gave it to the name
    fresh = 0
    for statement in block:
        nodes = list(ast.walk(statement))
        for node in nodes if not hasattr(statement, "body") else ():  # a loop's or a branch's own come by themselves
            for line, left, right in _subtracted(node, source):
                if left == right:
                    yield Idle(line, left, right, line)
                elif left in values and right in values and values[left][0] == values[right][0]:
                    yield Idle(line, left, right, max(values[left][1], values[right][1]))
        fresh += 1
        match statement:
            case ast.Assign([ast.Name(target)], ast.Name(copied)):
                values.setdefault(copied, (fresh, statement.lineno))
                values[target] = values[copied][0], statement.lineno
            case _:
                for node in nodes:
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        fresh += 1
                        values[node.id] = fresh, statement.lineno


def _subtracted(node: ast.AST, source: Source) -> Iterator[tuple[int, str, str]]:
    """Yield line and names of which an exponential takes the difference, or some multiple of it."""
    match node:
        case ast.Call(_, [exponent]) if source.is_exponential(node):
            for factor in factors(exponent):
                match factor:
                    case ast.BinOp(ast.Name(left), ast.Sub(), ast.Name(right)):
                        yield exponent.lineno, left, right
