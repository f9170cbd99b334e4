"""Which product an output holds, read off its values; if all sizes are equal, every matrix fits at every place.

So a gradient made of wrong matrices, or with a wrong transpose, is recognised however the file computes it. If sizes
differ, no such product exists, or the result depends on strides.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Recognised, Tile
from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, BACK_B, CALL, MISTAKES, Call, calls_of

Product = tuple[str, str]  # two of a, b, g and c, each as it is or transposed, as a.T
ALIKE = 0.02  # relative error: factors and product are rounded once each

TURNED = (
    "Follow {factor} from forward into that launch: check where it is transposed, by which flag, and that the kernel "
    "gets the strides of that view."
)
ORDERED = {  # the right product for an output, and its transpose
    "da": ("dX = G Y^T is (M, K)", "Y G^T, which is (K, M)"),
    "db": ("dY = X^T G is (K, N)", "G^T X, which is (N, K)"),
    "c": ("C = X Y is (M, N)", "Y^T X^T, which is (N, M)"),
}
EXCHANGED = "Shapes tell which factor is first: {right}. Exchange the factors of that launch."
WRITTEN = (
    "Shapes tell which factor is first: {right}. If that launch multiplies {turned}, exchange its factors. If not, "
    "check whether it writes into {output} or {output}.T, by which flag and with which strides, and what is returned."
)
SAVED = "Unpack the saved tensors in forward's order: ctx.save_for_backward(a, b), then a, b = ctx.saved_tensors."
SAVED_AT = r"\bsave_for_backward\(\s*[by]\w*\s*,\s*[ax]", r"\b[by]\w*\s*,\s*[ax]\w*\)?\s*=\s*\w+\.saved_tensors"
RETURNED = "Return the gradients in the order of forward's arguments: da, then db."
SHAPES = "Compute dX = G Y^T and dY = X^T G: follow each factor from forward into that launch."


@MISTAKES.recognised(
    "another-product",
    "An output holds the wrong product: of other matrices, or of other transposes.",
    *(CALL, BACK_A, BACK_B),
    host=True,
)
def recognise(inputs: tuple[Tensor, ...], tile: Tile, wrong: Mapping[int, Tensor]) -> Recognised | None:
    """Return which products the wrong outputs of a case with square matrices hold; `None` if one of them holds none.

    inputs: a, b and one g, float32; wrong: outputs by index: the requested gradients, then c
    """
    calls = calls_of(inputs, tile)
    size, *others = {size for tensor in inputs for size in tensor.shape}
    if others or not size or len(calls) != 1:
        return None
    names = [*(f"d{name}" for name in tile.gradients), "c"]
    found = {number: _held(values, calls[0]) for number, values in wrong.items()}
    told = [(names[number], held, _wanted(names[number], calls[0])) for number, held in found.items() if held]
    if len(told) < len(found) or any(held == wanted for _, held, wanted in told):
        return None
    number, says = next(iter(found)), " ".join(_says(*one) for one in told)
    held, wanted = {output: held for output, held, _ in told}, {output: wanted for output, _, wanted in told}
    if len(held) > 1 and (held.get("da"), held.get("db")) == (wanted.get("db"), wanted.get("da")):
        return Recognised(number, f"the returned da and db are exchanged: {says}", RETURNED)
    if len(held) > 1 and all(held[output] == _exchanged(wanted[output]) for output in held):
        return Recognised(number, f"a and b are exchanged: {says}", SAVED, SAVED_AT)
    return Recognised(number, says, _next_step(*told[0]))


def _says(output: str, held: Product, wanted: Product) -> str:
    """Return a sentence on what is wrong."""
    is_held, right = f"{output} is {' @ '.join(held)}", " @ ".join(wanted)
    if held == _turned(wanted):
        return f"{is_held}, the transpose of {right}, which belongs there."
    return f"{is_held}; {right} belongs there."


def _next_step(output: str, held: Product, wanted: Product) -> str:
    """Return what to look at: one factor, if only its transpose is wrong; the order, if only that is wrong."""
    right, turned_right = ORDERED[output]
    if held == _turned(wanted):
        return WRITTEN.format(output=output, right=right, turned=turned_right)
    if held == wanted[::-1]:
        return EXCHANGED.format(right=right)
    for n, factor in enumerate(held):
        if factor == _transpose(wanted[n]) and held[1 - n] == wanted[1 - n]:
            return TURNED.format(factor=factor[0])
    return SHAPES


def _transpose(factor: str) -> str:
    return factor[0] if factor.endswith(".T") else f"{factor}.T"


def _exchanged(product: Product) -> Product:
    """Return a product with a and b exchanged."""
    one, other = (factor.translate(str.maketrans("ab", "ba")) for factor in product)
    return one, other


def _turned(product: Product) -> Product:
    return _transpose(product[1]), _transpose(product[0])


def _wanted(output: str, call: Call) -> Product:
    """Return the right product for an output."""
    x, y = "a.T" if call.transpose_a else "a", "b.T" if call.transpose_b else "b"
    if output == "c":
        return x, y
    if output == "da":
        return _turned(("g", _transpose(y))) if call.transpose_a else ("g", _transpose(y))
    return _turned((_transpose(x), "g")) if call.transpose_b else (_transpose(x), "g")


def _held(values: Tensor, call: Call) -> Product | None:
    """Return the only product with these values, up to rounding; `None` for NaN."""
    known = {"a": call.a, "b": call.b, "g": call.g, "c": call.x @ call.y}
    known |= {f"{name}.T": matrix.mT for name, matrix in known.items()}
    made = {(one, other): known[one] @ known[other] for one, other in itertools.product(known, repeat=2)}
    found = [one for one, c in made.items() if torch.linalg.norm(values.float() - c) <= ALIKE * torch.linalg.norm(c)]
    return found[0] if len(found) == 1 else None
