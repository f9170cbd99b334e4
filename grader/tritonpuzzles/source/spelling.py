"""The kernel's own spelling of what findings mention: its masks, its products."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from tritonpuzzles.source.functions import Assignment, Function, language_calls, names_in

_OPERATORS = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_TERMS = (ast.Name, ast.Call, ast.Subscript, ast.Attribute)
LONGEST_MASK = 40  # characters

BUILTINS = frozenset({"range", "min", "max", "float", "int"})


def mask_at(function: Function, line: int) -> str:
    """Return the mask that a line of a kernel passes, as text if there is one and it is short; else "the mask"."""
    found = {
        ast.unparse(keyword.value)
        for node in _nodes_at(function, line)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "mask"
    }
    short = [mask for mask in found if len(mask) <= LONGEST_MASK]
    return short[0] if len(found) == len(short) == 1 else "the mask"


def early_returns(function: Function) -> list[int]:
    """Return the lines of the file with a return under a condition, which ends a kernel's program early."""
    return sorted({end.lineno for node in function.branches for end in ast.walk(node) if isinstance(end, ast.Return)})


def stores_of(function: Function) -> list[int]:
    """Return the lines of the file in which a kernel's text calls tl.store."""
    return sorted({call.lineno for call in language_calls(function.nodes, "store")})


def asked_axes(function: Function) -> set[int]:
    """Return the axes whose program ids a kernel reads; an empty set if its text does not show them."""
    nodes, found = function.nodes, []
    for node in nodes:
        match node:
            case ast.Call(ast.Name(name)) if name not in BUILTINS:
                return set()  # a helper may read one
            case ast.Call(ast.Attribute(attr="program_id"), [ast.Constant(int(axis))]):
                found.append(axis)
    mentioned = sum(isinstance(node, ast.Attribute) and node.attr == "program_id" for node in nodes)
    return set(found) if len(found) == mentioned else set()


def _nodes_at(function: Function, line: int) -> Iterator[ast.expr]:
    """Yield the expressions of a kernel that begin at a line of its file."""
    for node in function.nodes:
        if isinstance(node, ast.expr) and node.lineno == line:
            yield node


@dataclass(frozen=True)
class Widening:
    """A sum, difference or product that overflows 32 bits, in the kernel's own spelling."""

    as_written: str  # "row * stride"
    in_64_bits: str  # the same, with its first term that is no constexpr in 64 bits: "row.to(tl.int64) * stride"
    symbol: str  # of the operation of its first term: "+", "-" or "*"
    made: Assignment | None = None  # the assignment to that term, if products in several lines need it


def widening_at(function: Function, line: int, symbol: str, passed: Mapping[str, Any], right: int) -> Widening | None:
    """Return the sum, difference or product, by its symbol, in a line of a kernel, if only one can be meant.

    The launch passes arguments by name; `right` is the value of its right-hand side.
    """
    found = [
        node
        for node in _nodes_at(function, line)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, _OPERATORS[symbol])
        and _passed(node.right, passed, right) == right
        and isinstance(_first_operation(node).left, _TERMS)
        and isinstance(_passed(_first_operation(node).left, passed), (int, NoneType))  # no tensor
    ]
    found = [node for node in found if _passed(node.right, passed) is not None] or found
    if len({ast.unparse(node) for node in found}) != 1:
        return None
    wide = copy.deepcopy(found[0])
    first = _first_operation(wide)
    if isinstance(first.left, ast.Name) and first.left.id in function.constants:  # it has no .to
        first.right = _widened(first.right)
    else:
        first.left = _widened(first.left)
    (sign,) = (sign for sign, kind in _OPERATORS.items() if isinstance(first.op, kind))
    return Widening(ast.unparse(found[0]), ast.unparse(wide), sign, _shared(function, _first_operation(found[0]).left))


def _shared(function: Function, term: ast.expr) -> Assignment | None:
    """Return the only assignment to a term, `row` or `row[:, None]`, that is a factor in several lines."""
    name = ast.unparse(term.value if isinstance(term, ast.Subscript) else term)
    products = [node for node in function.nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)]
    lines = {node.lineno for node in products if name in names_in(node)}
    made = function.giving(name)
    return made[0] if len(made) == 1 and len(lines) > 1 else None


def _widened(term: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(term, "to", ast.Load()), [ast.Name("tl.int64", ast.Load())], [])


def _passed(node: ast.expr, passed: Mapping[str, Any], otherwise: Any = None) -> Any:
    """Return the launch's argument for a name."""
    return passed.get(node.id, otherwise) if isinstance(node, ast.Name) else otherwise


def _first_operation(node: ast.BinOp) -> ast.BinOp:
    """Return the leftmost operation of a sum of products."""
    while isinstance(node.left, ast.BinOp) and type(node.left.op) in _OPERATORS.values():
        node = node.left
    return node
