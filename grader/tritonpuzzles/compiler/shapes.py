"""Shapes that do not fit each other: which operands meet, and what broadcasting makes of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from tritonpuzzles.compiler.faults import Fault
from tritonpuzzles.compiler.operands import Operand, Shape
from tritonpuzzles.compiler.reason import Reason
from tritonpuzzles.results.words import listed

LONGEST = 24  # characters of an operand that is named by its text
_INCOMPATIBLE = re.compile(r"incompatible dimensions at index (\d+): (\d+) and (\d+)")
_INNER = re.compile(r"Input shapes should have M >= \d+, N >= \d+ and K >= (\d+)")
_REDUCTION = re.compile(r"tl\.(?:sum|max|min|argmax|argmin|reduce|xor_sum)\(.*axis=([01])\)")
_DIFFER = re.compile(r"equal reduction dimensions|are not compatible for matmul")


def broadcast(fault: Fault) -> Reason | None:
    """Two tiles that no broadcasting brings to one shape."""
    found = _INCOMPATIBLE.search(fault.text)
    pair = next((pair for pair in combinations(fault.operands, 2) if _clash(*pair)), None)
    if not found or pair is None:
        return None
    rank = max(len(operand.shape) for operand in pair)
    counted = [
        f", which counts as {_spelled(_padded(operand.shape, rank))}" if len(operand.shape) < rank else ""
        for operand in pair
    ]
    first, second = (f"{_named(operand, pair)} {_spelled(operand.shape)}" for operand in pair)
    text = f"{first}{counted[0]}{',' * bool(counted[0])} meets {second}{counted[1]}; {found[2]} is not {found[3]}"
    return Reason(
        text,
        _reduced_step(pair)
        or _product_step(fault, pair)
        or _axis_step(*sorted(pair, key=lambda operand: len(operand.shape))),
    )


def product(fault: Fault, sizes: Mapping[str, int]) -> Reason | None:
    """`tl.dot` of tiles that do not fit each other, or are too small.

    Args:
        fault: of the compiler.
        sizes: the constexprs of the launch.
    """
    if len(fault.operands) < 2 or not (_INNER.search(fault.text) or _DIFFER.search(fault.text)):
        return None
    a, b = fault.operands[:2]
    shapes = f"{_named(a, (a, b))} is {_spelled(a.shape)} and {_named(b, (a, b))} {_spelled(b.shape)}"
    small = _INNER.search(fault.text)
    if not small:
        cause = f"tl.dot(a, b) takes (M, K) and (K, N), and {shapes}"
        return Reason(cause, "Load b transposed, or use tl.trans(b).")
    cause = f"tl.dot needs an inner dimension K of at least {small[1]} for this dtype, and {shapes}"
    names = small_sizes(fault, sizes)
    if not names:
        step = f"Give both tiles at least {small[1]} elements along it; mask what lies beyond with other=0.0."
        return Reason(cause, step)
    are = "is" if len(names) == 1 else "are"
    return Reason(cause, f"Give both tiles at least {small[1]} elements along it: {listed(names)} {are} {a.shape[-1]}.")


def small_sizes(fault: Fault, sizes: Mapping[str, int]) -> list[str]:
    """Return the constexprs that may have made the inner dimension of a product too small."""
    if not (_INNER.search(fault.text) and fault.operands):
        return []
    return sorted(name for name, size in sizes.items() if type(size) is int and size == fault.operands[0].shape[-1])


def _named(operand: Operand, pair: Sequence[Operand]) -> str:
    if len(operand.text) <= LONGEST:
        return operand.text
    axis = _reduced(operand)
    if axis is not None:
        return f"{operand.text.partition('(')[0]}(..., axis={axis})"
    return "the first operand" if operand is pair[0] else "the second"


def _reduced(operand: Operand) -> int | None:
    """Return the axis of a matrix along which an operand is a sum, or another reduction, by its text."""
    found = _REDUCTION.fullmatch(operand.text)
    return int(found[1]) if found and len(operand.shape) == 1 else None


def _reduced_step(pair: Sequence[Operand]) -> str | None:
    """Return which axis makes two operands fit, where one of them is reduced along the other."""
    axes = [axis for axis in map(_reduced, pair) if axis is not None]
    if len(axes) != 1 or any(len(operand.shape) != 1 for operand in pair):
        return None
    column, row = "one value for each column", "one for each row"
    return f"axis=0 leaves {column}, axis=1 {row}: see which of them the other operand holds."


def _product_step(fault: Fault, pair: Sequence[Operand]) -> str | None:
    """Return that matrices are multiplied by `tl.dot`, where their shapes fit for that and * stands between them."""
    is_product = isinstance(fault.node, ast.BinOp) and isinstance(fault.node.op, ast.Mult)
    a, b = (operand.shape for operand in pair)
    if not is_product or len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        return None
    left, right = (_named(operand, pair) for operand in pair)
    names = (left, right) if left.isidentifier() and right.isidentifier() else ("a", "b")
    return f"* multiplies element by element; the product of two matrices is tl.dot({', '.join(names)})."


def _spelled(shape: Shape) -> str:
    return str(tuple(shape))


def _padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + tuple(shape)


def _clash(a: Operand, b: Operand) -> bool:
    rank = max(len(a.shape), len(b.shape))
    pairs = zip(_padded(a.shape, rank), _padded(b.shape, rank), strict=True)
    return any(1 not in pair and pair[0] != pair[1] for pair in pairs)


def _axis_step(low: Operand, high: Operand) -> str:
    """Return how to bring two operands together; the first has no more axes than the second."""
    if len(low.shape) == 1 and len(high.shape) == 2 and low.shape[0] == high.shape[0]:
        text = low.text if low.text.isidentifier() else f"({low.text})"
        if len(low.text) <= LONGEST:
            return f"Write {text}[:, None], which is ({low.shape[0]}, 1): one value for each row."
    return "Give both the same size along each axis, or size 1: of n values [:, None] makes (n, 1), [None, :] (1, n)."
