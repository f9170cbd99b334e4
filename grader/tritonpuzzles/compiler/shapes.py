"""Looks for tiles whose shapes do not fit each other: which operands clash, and what would make them fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from tritonpuzzles.compiler.faults import Fault, Operand, Shape
from tritonpuzzles.compiler.wording import Look, Words
from tritonpuzzles.results.words import are, listed

LONGEST = 24  # characters of an operand that is named by its text
EMPTY = "arange's end argument must be greater than the start"
POWER = "must be a power of 2"
INNER = r"Input shapes should have M >= \d+, N >= \d+ and K >= (?P<least>\d+)"
_REDUCTION = re.compile(r"tl\.(?:sum|max|min|argmax|argmin|reduce|xor_sum)\(.*axis=([01])\)")

Pair = tuple[Operand, Operand]


def meeting(found: Callable[[Fault, Pair], Words | None] = lambda fault, pair: {}) -> Look:
    """Return a look for the first two operands that cannot be broadcast together; `found` adds words on this pair."""

    def look(fault: Fault, words: Words) -> Words | None:
        pair = next((pair for pair in combinations(fault.operands, 2) if _clash(*pair)), None)
        more = None if pair is None else found(fault, pair)
        if pair is None or more is None:
            return None
        rank = max(len(operand.shape) for operand in pair)
        first, second = (f"{_named(operand, pair)} {operand.shape}{_counted(operand, rank)}" for operand in pair)
        return {"first": first + "," * ("counts as" in _counted(pair[0], rank)), "second": second, **more}

    return look


def reduced(fault: Fault, pair: Pair) -> Words | None:
    """One of two vectors is a sum, or another reduction, along an axis of a matrix."""
    along = [operand for operand in pair if _axis(operand) is not None]
    return {} if len(along) == 1 and all(len(operand.shape) == 1 for operand in pair) else None


def multiplied(fault: Fault, pair: Pair) -> Words | None:
    """Two matrices whose shapes fit for `tl.dot`, with * between them."""
    is_product = isinstance(fault.node, ast.BinOp) and isinstance(fault.node.op, ast.Mult)
    a, b = (operand.shape for operand in pair)
    if not is_product or len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        return None
    left, right = (_named(operand, pair) for operand in pair)
    return {"names": f"{left}, {right}" if left.isidentifier() and right.isidentifier() else "a, b"}


def lacks_an_axis(fault: Fault, pair: Pair) -> Words | None:
    """A vector with one value for each row of a matrix."""
    low, high = sorted(pair, key=lambda operand: len(operand.shape))
    fits = len(low.shape) == 1 and len(high.shape) == 2 and low.shape[0] == high.shape[0]
    if not fits or len(low.text) > LONGEST:
        return None
    return {"vector": low.text if low.text.isidentifier() else f"({low.text})", "rows": low.shape[0]}


def product(fault: Fault, words: Words) -> Words | None:
    """The `shapes` of the operands of tl.dot."""
    if len(fault.operands) < 2:
        return None
    a, b = pair = fault.operands[:2]
    return {"shapes": f"{_named(a, pair)} is {a.shape} and {_named(b, pair)} {b.shape}"}


def small_product(fault: Fault, words: Words) -> Words | None:
    """The `shapes` of a tl.dot whose inner dimension is too small, and the `small` constexprs that cause it."""
    seen, names = product(fault, words), blamed_sizes(fault)
    if seen is None or not names:
        return None
    return {**seen, "small": f"{listed([*names])} {are(len(names))} {fault.operands[0].shape[-1]}"}


def blamed_sizes(fault: Fault) -> dict[str, int]:
    """Return the constexprs that may have made a tile empty or no power of two, or a product's inner dimension small.

    A number that is 1 is one, too; it is returned only if no parameter is declared as a constexpr.
    """
    sizes = {name: size for name, size in fault.sizes.items() if type(size) is int}
    if EMPTY in fault.text:
        found = {name for name, size in sizes.items() if size < 1}
    elif POWER in fault.text:
        found = {name for name, size in sizes.items() if size & (size - 1)}
    elif re.search(INNER, fault.text) and fault.operands:
        found = {name for name, size in sizes.items() if size == fault.operands[0].shape[-1]}
    else:
        return {}
    declared = {one.name for one in fault.kernel.params if one.is_constexpr}
    return {name: sizes[name] for name in sorted(found & declared or found)}


def with_names(step: str, sizes: Mapping[str, int]) -> str:
    """Return a next step with the shape of its tile also written in the launch's constexprs, if they identify it."""

    def shaped(found: re.Match[str]) -> str:
        named = [[name for name, size in sizes.items() if size == int(number)] for number in found[1].split(" x ")]
        if any(len(names) != 1 for names in named):
            return found[0]
        names = [name for (name,) in named]
        return f"{found[0]}, ({', '.join(names)}{',' * (len(names) == 1)})"

    return re.sub(r"tile of (\d+(?: x \d+)*)(?=:)", shaped, step)


def _named(operand: Operand, pair: Sequence[Operand]) -> str:
    if len(operand.text) <= LONGEST:
        return operand.text
    axis = _axis(operand)
    if axis is not None:
        return f"{operand.text.partition('(')[0]}(..., axis={axis})"
    return "the first operand" if operand is pair[0] else "the second"


def _axis(operand: Operand) -> str | None:
    """Return the axis along which an operand is reduced from a matrix, by its text; `None` if it is not."""
    found = _REDUCTION.fullmatch(operand.text)
    return found[1] if found and len(operand.shape) == 1 else None


def _counted(operand: Operand, rank: int) -> str:
    """Return a clause with an operand's shape as broadcasting pads it to `rank` axes; empty if it has as many."""
    return f", which counts as {_padded(operand.shape, rank)}" if len(operand.shape) < rank else ""


def _padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + tuple(shape)


def _clash(a: Operand, b: Operand) -> bool:
    rank = max(len(a.shape), len(b.shape))
    pairs = zip(_padded(a.shape, rank), _padded(b.shape, rank), strict=True)
    return any(1 not in pair and pair[0] != pair[1] for pair in pairs)
