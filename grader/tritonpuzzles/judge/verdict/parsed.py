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


def numbers_of(path: Path) -> dict[str, str]:
    """Return the texts of the numbers that names of a file stand for, each assigned once, also as a `tl.constexpr`."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(module_of(path)):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                found.setdefault(name, []).append(_number(value))
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1 and texts[0]}


def _number(value: ast.expr) -> str:
    match value:
        case ast.Call(ast.Attribute(attr="constexpr"), [inner]):
            return _number(inner)
        case ast.UnaryOp(ast.USub(), inner):
            text = _number(inner)
            return f"-{text}" if text else ""
        case ast.Constant(int() | float()) | ast.Call(ast.Name("float"), [ast.Constant()]):
            return ast.unparse(value)
        case ast.Attribute(attr="inf"):
            return ast.unparse(value)
    return ""
