"""Find a function in the text of a file, by its name and the line of its `def`."""

from __future__ import annotations

import ast
from functools import lru_cache

MAX_CHARACTERS = 1 << 20
MAX_NODES = 50_000
MAX_DEPTH = 150


class TextError(Exception):
    """A text in which a kernel is not to be found; the message is one sentence.

    Attributes:
        line: of the file, where one is known.
    """

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.line = line


def find(text: str, name: str, line: int) -> ast.FunctionDef:
    """Return the tree of a function, its lines counted in the file.

    Raises:
        TextError: the text is no Python, too large or too deep, or no function of that name begins there.
    """
    if len(text) > MAX_CHARACTERS:
        raise TextError(f"the file has {len(text):,} characters; the most is {MAX_CHARACTERS:,}")
    found = [node for node in _functions(text) if node.name == name and node.lineno == line]
    if len(found) != 1:
        raise TextError(f"the file defines no function {name} on line {line}")
    check_size(found[0])
    return found[0]


def parse(text: str) -> ast.Module:
    """Parse a text.

    Raises:
        TextError: it is no Python.
    """
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise TextError(f"the text does not parse: {reason}") from error


@lru_cache(maxsize=8)
def _functions(text: str) -> tuple[ast.FunctionDef, ...]:
    return tuple(node for node in ast.walk(parse(text)) if isinstance(node, ast.FunctionDef))


def check_size(function: ast.AST) -> None:
    """Make sure that functions which call themselves can follow a tree.

    Raises:
        TextError: it is too large or too deep.
    """
    level, count, depth = [function], 1, 0
    while level:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        count, depth = count + len(level), depth + 1
        if count > MAX_NODES:
            raise TextError(f"the function has more than {MAX_NODES:,} parts")
        if depth > MAX_DEPTH:
            line = next((node.lineno for node in level if isinstance(node, (ast.expr, ast.stmt))), None)
            raise TextError(f"expressions or statements stand more than {MAX_DEPTH} deep in each other", line)
