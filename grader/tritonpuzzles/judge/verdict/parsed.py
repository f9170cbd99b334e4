"""A submission's text as Python's syntax tree. It is read, and nothing of it is run."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Constant:
    """A number that a file gives a name, and the line in which it does."""

    text: str
    line: int


def constants_of(path: Path) -> dict[str, Constant]:
    """Return the numbers that names of a file stand for, each assigned once, also as a `tl.constexpr`."""
    found: dict[str, list[Constant]] = {}
    for node in ast.walk(module_of(path)):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                found.setdefault(name, []).append(Constant(_number(value), node.lineno))
            case ast.AugAssign(ast.Name(name)):
                found.setdefault(name, []).append(Constant("", node.lineno))
    return {name: made[0] for name, made in found.items() if len(made) == 1 and made[0].text}


def constant_in(path: Path, line: int) -> int | None:
    """Return where the only constant is defined that an assignment in a line names."""
    assigned = (node for node in ast.walk(module_of(path)) if isinstance(node, ast.Assign) and node.lineno == line)
    names = {child.id for node in assigned for child in ast.walk(node.value) if isinstance(child, ast.Name)}
    lines = {constant.line for name, constant in constants_of(path).items() if name in names}
    return lines.pop() if len(lines) == 1 else None


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


def spelled_out(path: Path) -> list[tuple[bool, ast.FunctionDef]]:
    """Return `functions_of` a file with tl.exp in place of each call of a helper that is an exponential and no more."""
    helpers = {function.name for _, function in functions_of(path) if _is_exponential(function)}
    return [(kernel, _SpellOut(helpers).visit(copy.deepcopy(one))) for kernel, one in functions_of(path)]


def exponential_lines(path: Path) -> set[int]:
    """Return the lines of a file's helpers that are an exponential and no more."""
    helpers = [function for _, function in functions_of(path) if _is_exponential(function)]
    return {line for one in helpers for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}


def _is_exponential(function: ast.FunctionDef) -> bool:
    """Return whether a function of one argument returns tl.exp or tl.exp2 of it, or of some multiple."""
    match function.body[-1]:
        case ast.Return(ast.Call(ast.Attribute(attr="exp" | "exp2"), [exponent])) if len(function.args.args) == 1:
            factors = [exponent.left, exponent.right] if isinstance(exponent, ast.BinOp) else [exponent]
            return function.args.args[0].arg in map(ast.unparse, factors)
    return False


class _SpellOut(ast.NodeTransformer):
    def __init__(self, helpers: set[str]) -> None:
        self._helpers = helpers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._helpers:
            exp = ast.copy_location(ast.Attribute(ast.Name("tl", ast.Load()), "exp", ast.Load()), node.func)
            node.func = ast.fix_missing_locations(exp)
        return node
