"""How a kernel's own text spells what a finding speaks of: its masks, its products."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from typing import Any

_OPERATORS = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_TERMS = (ast.Name, ast.Call, ast.Subscript, ast.Attribute)
LONGEST_MASK = 40  # characters


def mask_at(function: Any, line: int) -> str:
    """Return the mask that a line of a kernel passes: its text where that is short and there is one; else in words."""
    found = {
        ast.unparse(keyword.value)
        for node in _nodes_at(function, line)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "mask"
    }
    short = [mask for mask in found if len(mask) <= LONGEST_MASK]
    return short[0] if len(found) == len(short) == 1 else "the mask"


def has_loops(function: Any) -> bool:
    """Return whether a kernel's text has a loop of its own."""
    return any(isinstance(node, (ast.For, ast.While)) for node in _nodes(function))


def in_loop(function: Any, line: int) -> bool:
    """Return whether a line of the file stands in a loop of a kernel."""
    first = function.starting_line_number - 1
    loops = (node for node in _nodes(function) if isinstance(node, (ast.For, ast.While)))
    return any(loop.lineno + first < line <= (loop.end_lineno or loop.lineno) + first for loop in loops)


def early_returns(function: Any) -> list[int]:
    """Return the lines of the file in which a kernel's text ends a program under a condition."""
    conditions = [node for node in _nodes(function) if isinstance(node, ast.If)]
    ends = {end for node in conditions for end in ast.walk(node) if isinstance(end, ast.Return)}
    return sorted(_line(function, end) for end in ends)


def stores_of(function: Any) -> list[int]:
    """Return the lines of the file in which a kernel's text calls tl.store."""
    calls = (node for node in _nodes(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    return sorted({_line(function, call) for call in calls if ast.unparse(call.func) == "tl.store"})


def _nodes_at(function: Any, line: int) -> Iterator[ast.expr]:
    """Yield the expressions of a kernel that begin at a line of its file."""
    for node in _nodes(function):
        if isinstance(node, ast.expr) and _line(function, node) == line:
            yield node


def _nodes(function: Any) -> Iterator[ast.AST]:
    """Yield all nodes of a kernel's text; none of one that does not stand on its own."""
    try:
        yield from ast.walk(ast.parse(textwrap.dedent("".join(function.raw_src))))
    except SyntaxError:
        return


def _line(function: Any, node: ast.expr | ast.stmt) -> int:
    line: int = node.lineno + function.starting_line_number - 1
    return line


def expression_at(function: Any, line: int, symbol: str) -> str:
    """Return the one sum, difference or product of two simple terms that a line of a kernel holds; "" for none.

    Args:
        function: the kernel.
        line: in its file.
        symbol: "+", "-" or "*".
    """
    found = [
        ast.unparse(node)
        for node in _nodes_at(function, line)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, _OPERATORS[symbol])
        and isinstance(node.left, _TERMS)
        and isinstance(node.right, _TERMS)
    ]
    return found[0] if len(found) == 1 else ""
