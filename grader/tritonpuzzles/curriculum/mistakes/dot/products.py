"""Which product an output holds, read off its values: where all sizes are alike, every matrix fits every place.

So a gradient that is made of the wrong matrices, or of a transpose too many, is told for what it is, however the file
comes to it. Where sizes differ no such product exists, or strides decide what it would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Recognised, Tile
from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, BACK_B, CALL, MISTAKES
from tritonpuzzles.curriculum.mistakes.dot.machine import Call, calls_of

ALIKE = 0.02  # of the product's own size: its factors are rounded once, and it is rounded once

TURNED = (
    "Follow {factor} from forward into that launch: where is it transposed, by which flag, and does the kernel get the "
    "strides of that view?"
)
ORDERED = {  # what belongs into an output, and the transpose of it
    "da": ("dX = G Y^T is (M, K)", "Y G^T, which is (K, M)"),
    "db": ("dY = X^T G is (K, N)", "G^T X, which is (N, K)"),
    "c": ("C = X Y is (M, N)", "Y^T X^T, which is (N, M)"),
}
EXCHANGED = "Shapes tell which factor is first: {right}. Exchange the factors of that launch."
WRITTEN = (
    "Shapes tell which factor is first: {right}. If that launch multiplies {turned}, exchange its factors. If not, "
    "look at what it writes into, {output} or {output}.T and by which flag, at whether the kernel gets its strides, "
    "and at what is returned."
)
SHAPES = "dX = G Y^T and dY = X^T G: follow each factor from forward into that launch."


@dataclass(frozen=True)
class Factor:
    """A matrix of a product: a, b, g or c, as it is or transposed."""

    name: str
    transposed: bool = False

    def __str__(self) -> str:
        return f"{self.name}.T" if self.transposed else self.name

    @property
    def turned(self) -> Factor:
        """Its transpose."""
        return Factor(self.name, not self.transposed)


@dataclass(frozen=True)
class Product:
    """A product of two matrices."""

    left: Factor
    right: Factor

    def __str__(self) -> str:
        return f"{self.left} @ {self.right}"

    @property
    def turned(self) -> Product:
        """Its transpose."""
        return Product(self.right.turned, self.left.turned)

    def of(self, known: Mapping[str, Tensor]) -> Tensor:
        """Return its value."""
        left, right = (known[factor.name] for factor in (self.left, self.right))
        return (left.mT if self.left.transposed else left) @ (right.mT if self.right.transposed else right)


@dataclass(frozen=True)
class Seen:
    """Which product an output holds, and which belongs there."""

    output: str
    held: Product
    wanted: Product

    @property
    def lies_turned(self) -> bool:
        """Whether it is right but for a transpose of the whole."""
        return self.held == self.wanted.turned

    @property
    def says(self) -> str:
        """What is wrong, a sentence."""
        if self.lies_turned:
            return f"{self.output} is {self.held}, the transpose of {self.wanted}, which belongs there."
        return f"{self.output} is {self.held}; {self.wanted} belongs there."

    @property
    def next_step(self) -> str:
        """What to look at: one factor, if nothing but its transpose is wrong; the order, if nothing but that is."""
        right, turned_right = ORDERED[self.output]
        if self.lies_turned:
            return WRITTEN.format(output=self.output, right=right, turned=turned_right)
        if self.held == Product(self.wanted.right, self.wanted.left):
            return EXCHANGED.format(right=right)
        pairs = [(self.held.left, self.wanted.left), (self.held.right, self.wanted.right)]
        turned = [one.name for one, other in pairs if one == other.turned]
        one_alone = len(turned) == 1 and any(one == other for one, other in pairs)
        return TURNED.format(factor=turned[0]) if one_alone else SHAPES


@MISTAKES.recognised(
    "another-product",
    "An output holds another product than the one that belongs there: of other matrices, or of other transposes.",
    CALL,
    BACK_A,
    BACK_B,
    host=True,
)
def recognise(inputs: tuple[Tensor, ...], tile: Tile, wrong: Mapping[int, Tensor]) -> Recognised | None:
    """Return which products the wrong outputs of a case with squares hold; `None` where one of them holds none.

    Args:
        inputs: a, b and one g, float32.
        tile: of the kernel.
        wrong: outputs by their number: the gradients that are asked for, then c.
    """
    calls = calls_of(inputs, tile)
    size, *others = {size for tensor in inputs for size in tensor.shape}
    if others or not size or len(calls) != 1:
        return None
    names = [*(f"d{name}" for name in tile.gradients), "c"]
    found = {number: _held(values, calls[0]) for number, values in wrong.items()}
    told = [Seen(names[number], held, _wanted(names[number], calls[0])) for number, held in found.items() if held]
    if len(told) < len(found) or any(one.held == one.wanted for one in told):
        return None
    return Recognised(next(iter(found)), " ".join(one.says for one in told), told[0].next_step)


def _wanted(output: str, call: Call) -> Product:
    """Return the product that belongs into an output."""
    x, y, g = Factor("a", call.transpose_a), Factor("b", call.transpose_b), Factor("g")
    if output == "c":
        return Product(x, y)
    made, transposed = {"da": (Product(g, y.turned), x.transposed), "db": (Product(x.turned, g), y.transposed)}[output]
    return made.turned if transposed else made


def _held(values: Tensor, call: Call) -> Product | None:
    """Return the one product that has these values."""
    known = {"a": call.a, "b": call.b, "g": call.g, "c": call.x @ call.y}
    found = [one for one in _products(known) if _is_like(values, one.of(known))]
    return found[0] if len(found) == 1 else None


def _products(known: Mapping[str, Tensor]) -> Iterator[Product]:
    factors = [Factor(name, transposed) for name in known for transposed in (False, True)]
    return (Product(left, right) for left, right in product(factors, repeat=2))


def _is_like(values: Tensor, made: Tensor) -> bool:
    """Return whether values are a product, but for rounding; no NaN is."""
    return bool(torch.linalg.norm(values.float() - made) <= ALIKE * torch.linalg.norm(made))
