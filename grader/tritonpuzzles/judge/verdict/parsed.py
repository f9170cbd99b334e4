"""A submission's text as Python's syntax tree. It is read, and nothing of it is run."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import read_regular


def module_of(path: Path) -> ast.Module:
    """Return the tree of a file; an empty one of a file that cannot be read."""
    try:
        return _tree(read_regular(path, MAX_SOURCE_BYTES))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


@lru_cache(maxsize=4)  # one check asks for its file's a dozen times
def _tree(source: bytes) -> ast.Module:
    return ast.parse(source.decode("utf-8-sig"))


def functions_of(path: Path) -> list[tuple[bool, ast.FunctionDef]]:
    """Return the functions of a file, each with whether it is a kernel; none of a file that cannot be read."""
    return [(_is_kernel(node), node) for node in module_of(path).body if isinstance(node, ast.FunctionDef)]


def _is_kernel(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)
