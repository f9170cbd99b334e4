"""Causes that the text of a file tells by itself: digits of a constant, and a factor that is 1 whatever it is given."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import factors

KNOWN = {"log2(e)": math.log2(math.e), "ln(2)": math.log(2), "the smallest finite float32": 3.4028234663852886e38}
NEAR, EXACT = 0.03, 1e-4  # relative: four digits are meant as they stand
ALWAYS_1 = "the factor is always 1, and what was summed before is not rescaled."
IDLE_STEP = "Take the factor while one of them still is the maximum from before the tile."


class Written(NamedTuple):
    """A line with what is wrong with it and what to do about it."""

    line: int
    text: str
    next_step: str


def misspelt(source: Source) -> Written | None:
    """Return the first number of a file that is off by so little from a constant that its digits must be wrong."""
    nodes = (node for node in source.nodes if isinstance(node, ast.Constant))
    numbers = [(node.lineno, node.value) for node in nodes if isinstance(node.value, float) and _is_long(node.value)]
    for line, number in sorted(numbers):
        for name, value in KNOWN.items():
            if EXACT < abs(number / value - 1) < NEAR:
                text = f"Line {line} has {number!r}, and {name} is {value!r}."
                return Written(line, text, "Correct the digits of that number.")
    return None


def _is_long(number: float) -> bool:
    """Return whether a number has so many digits that it was copied from somewhere."""
    return len(repr(number).partition("e")[0].replace(".", "").strip("-0")) > 4


def idle_factor(source: Source) -> Written | None:
    """Return the line that makes a factor of a kernel or its helpers 1: an exponential of a number less itself."""
    parts = [getattr(node, part, None) for node in source.nodes for part in ("body", "orelse")]
    found = [idle for block in parts if isinstance(block, list) for idle in _idle(block, source)]
    return min(found, key=lambda one: one[0])[1] if found else None


def _idle(block: Sequence[ast.stmt], source: Source) -> Iterator[tuple[int, Written]]:
    """Number the values that names hold, statement by statement; a copy has the number of what is copied."""
    values: dict[str, tuple[int, int]] = {}  # name -> number of its value, and the line that gave it to the name
    fresh = 0
    for statement in block:
        nodes = list(ast.walk(statement))
        for node in nodes if not hasattr(statement, "body") else ():  # a loop's or a branch's own come by themselves
            for line, left, right in _subtracted(node, source):
                if left == right:
                    text = f"Line {line} subtracts {left} from itself"
                    yield line, Written(line, f"{text}: {ALWAYS_1}", IDLE_STEP)
                elif left in values and right in values and values[left][0] == values[right][0]:
                    since = max(values[left][1], values[right][1])
                    text = f"{left} is {right} itself in line {line}, since line {since}"
                    yield line, Written(since, f"{text}: {ALWAYS_1}", IDLE_STEP)
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
