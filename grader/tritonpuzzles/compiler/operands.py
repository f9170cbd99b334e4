"""The shapes of what an operation joins that the compiler rejects, as they stand on its stack where it raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BUILTIN = "wrapper"  # the frame in which Triton calls each of its operations
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """One block that an operation gets.

    Attributes:
        text: as the kernel spells it.
        shape: elements along each axis, before anything is broadcast.
    """

    text: str
    shape: Shape


def operands_of(error: BaseException | None, node: ast.AST | None) -> tuple[Operand, ...]:
    """Return the blocks that an operation gets; none where that is in doubt.

    Args:
        error: what the operation raised.
        node: the operation, in the learner's own function.
    """
    given = _given(error)
    if given is None or node is None:
        return ()
    args, kwargs, name = given
    if isinstance(node, ast.BinOp):
        terms = [node.left, node.right]
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        terms = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] != name or any(isinstance(arg, ast.Starred) for arg in node.args):
            return ()
        terms = node.args
    else:
        return ()
    if name.startswith("__r"):  # b.__radd__(a) is a + b
        args = args[::-1]
    if len(args) != len(terms):
        return ()
    keywords = {keyword.arg: keyword.value for keyword in node.keywords} if isinstance(node, ast.Call) else {}
    pairs = [*zip(terms, args, strict=True), *((keywords[key], kwargs[key]) for key in keywords if key in kwargs)]
    return tuple(Operand(ast.unparse(term), shape) for term, value in pairs if (shape := _shape(value)))


def _given(error: BaseException | None) -> tuple[tuple[Any, ...], dict[str, Any], str] | None:
    """Return arguments and name of the outermost of Triton's operations that an exception went through."""
    for local, name in _frames(error):
        if name == BUILTIN and {"fn", "args", "kwargs"} <= local.keys():
            return tuple(local["args"]), dict(local["kwargs"]), getattr(local["fn"], "__name__", "")
    return None


def _frames(error: BaseException | None) -> Iterator[tuple[dict[str, Any], str]]:
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        yield trace.tb_frame.f_locals, trace.tb_frame.f_code.co_name
        trace = trace.tb_next


def _shape(value: Any) -> Shape:
    """Return the shape of a block; of a scalar, and of what is none, the empty one."""
    sizes = [getattr(size, "value", size) for size in getattr(getattr(value, "type", None), "shape", ())]
    return tuple(sizes) if all(type(size) is int for size in sizes) else ()
