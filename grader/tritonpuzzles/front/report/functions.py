"""The functions of a source file by their lines, found without importing the file."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.files import read_small


@dataclass(frozen=True)
class Listing:
    """Some lines of a file that belong together; `first` is the number of the first, counted from 1."""

    name: str
    first: int
    lines: tuple[str, ...]


def listings(path: Path, names: Collection[str], numbers: Collection[int]) -> list[Listing]:
    """Return the functions of a file that are called so or hold one of the lines, decorators included.

    Returns:
        In the order of the file; nothing for a file that cannot be read or does not parse.
    """
    try:
        source = harmless(read_small(path).decode("utf-8-sig", "replace"))
        functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    spans = {(_first(node), node.end_lineno or node.lineno): node.name for node in functions}
    wanted = sorted(
        (first, last)
        for (first, last), name in spans.items()
        if name in names or any(first <= number <= last for number in numbers)
    )
    lines = source.split("\n")
    outer = [span for span in wanted if not any(o[0] <= span[0] and span[1] <= o[1] and o != span for o in wanted)]
    return [Listing(spans[first, last], first, tuple(lines[first - 1 : last])) for first, last in outer]


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
