"""Numbers in a file that are nearly a constant which everybody copies."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from tritonpuzzles.source import Source

KNOWN = {"log2(e)": math.log2(math.e), "ln(2)": math.log(2), "the smallest finite float32": 3.4028234663852886e38}
NEAR, EXACT = 0.03, 1e-4  # relative: four digits are meant as they stand


@dataclass(frozen=True)
class Misspelt:
    """A number that is nearly a constant."""

    line: int
    text: str
    name: str
    value: float


def misspelt(source: Source) -> Misspelt | None:
    """Return the first number of a file that is off by so little from a constant that its digits must be wrong."""
    nodes = (node for node in source.nodes if isinstance(node, ast.Constant))
    numbers = [(node.lineno, node.value) for node in nodes if isinstance(node.value, float) and _is_long(node.value)]
    for line, number in sorted(numbers):
        for name, value in KNOWN.items():
            if EXACT < abs(number / value - 1) < NEAR:
                return Misspelt(line, repr(number), name, value)
    return None


def _is_long(number: float) -> bool:
    """Return whether a number has so many digits that it was copied from somewhere."""
    return len(repr(number).partition("e")[0].replace(".", "").strip("-0")) > 4
