"""Shared by the mistakes of products with gradients: c = x y, dx = g y^T and dy = x^T g, with possible deviations.

x = op(a): (m, k), y = op(b): (k, n), g: (m, n) float32; the gradients of a and b are dx and dy, transposed where a and
b were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Emulation, Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import machine
from tritonpuzzles.curriculum.mistakes.matmul.common import blocks_of, by_strides, seen_of, tiled
from tritonpuzzles.curriculum.references import turned

MISTAKES = Mistakes(seen_of)

BACK_A, BACK_B = r"\bd(a|x)\w*\s*=(?!.*(empty|zeros|None))", r"\bd(b|y)\w*\s*=(?!.*(empty|zeros|None))"
CALL = r"^\s*(\w+\s*=\s*)?\w+\(.*\bg\b"  # a launch with g in it, perhaps through a function of the file
RETURN = r"^\s*return\b.*,"
SAVE = r"save_for_backward|ctx\.\w+\s*="


@dataclass(frozen=True)
class Call:
    """One backward pass of one call: a and b as passed, and the g of this pass."""

    a: Tensor
    b: Tensor
    g: Tensor
    transpose_a: bool
    transpose_b: bool
    tile: Tile

    @property
    def x(self) -> Tensor:
        """op(a), (m, k)."""
        return turned(self.a, self.transpose_a)

    @property
    def y(self) -> Tensor:
        """op(b), (k, n)."""
        return turned(self.b, self.transpose_b)


Factors = Callable[[Call], tuple[Tensor, Tensor]]  # the kernel's arguments x and y
Into = Callable[[Tensor, bool], Tensor]  # da, transpose_a -> the view of da that the kernel writes to
Product = Callable[[tuple[Tensor, ...], Tile], Tensor]
Gradients = list[tuple[Tensor, ...]]  # one tuple per pass


def calls_of(inputs: tuple[Tensor, ...], tile: Tile) -> list[Call]:
    """Return the passes of a call."""
    a, b, *against = inputs
    flags = bool(tile.values["transpose_a"]), bool(tile.values["transpose_b"])
    return [Call(a, b, g, *flags, tile) for g in against]


@machine
def gradients(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    c: Factors = lambda of: (of.x, of.y),
    da: Factors = lambda of: (of.g, of.y.mT),
    db: Factors = lambda of: (of.x.mT, of.g),
    into_a: Into = turned,
    into_b: Into = turned,
    like: Callable[[Tensor], Tensor] = torch.empty_like,  # allocates the gradient of a matrix
    back: Callable[[Call], Call] = lambda of: of,  # the call as backward sees it
    whose: Callable[[Call, str], str] = lambda of, name: name,  # whose gradient is returned as that of a or b
    passes: Callable[[Gradients], Gradients] = lambda passes: passes,  # the gradients of all passes, in the end
    product: Product = lambda factors, tile: factors[0] @ factors[1],  # of matrices that fit each other
) -> tuple[Tensor, ...]:
    """Return the requested gradients of each pass, then the result."""

    def gradient(of: Call, name: str) -> Tensor:
        matrix, flag, into = {"a": (of.a, of.transpose_a, into_a), "b": (of.b, of.transpose_b, into_b)}[name]
        given = like(matrix)
        _launch(*(da if name == "a" else db)(of), into(given, flag), tile, product)
        return given

    calls = calls_of(inputs, tile)
    asked = [name for name in ("a", "b") if name in tile.gradients]
    made = passes([tuple(gradient(back(of), whose(of, name)) for name in asked) for of in calls])
    result = torch.empty(calls[0].x.shape[0], calls[0].y.shape[1])
    _launch(*c(calls[0]), result, tile, product)
    return (*sum(made, ()), result)


def _launch(x: Tensor, y: Tensor, out: Tensor, tile: Tile, product: Product) -> None:
    """Write the kernel's result for x: (M, K) and y: (any, N), even if they and the output do not fit each other.

    Like the stub's `multiply`, it takes M and K from x and N from y, and uses strides. Loads outside of a tensor give
    0, and stores there are dropped. The output starts as NaN; later programs overwrite earlier ones.
    """
    (m, k), n = x.shape, y.shape[1]
    c = product((x, y if len(y) == k else by_strides(y, (k, n), y.stride())), tile)
    if out.shape == c.shape:
        out.copy_(c)
        return
    blocks, places = blocks_of(tile), torch.arange(m)[:, None] * out.stride(0) + torch.arange(n) * out.stride(1)
    written, values = (tiled(each, blocks.m, blocks.n).flatten().numpy() for each in (places + 1, c))  # 0: padding
    inside = (written > 0) & (written <= out.numel())
    memory = out.as_strided((out.numel(),), (1,)).fill_(torch.nan).numpy()  # numpy writes in order
    memory[written[inside] - 1] = values[inside]


def each(ways: str, **deviations: object) -> list[Emulation]:
    """Return emulations with deviations in da, in db or in both: "a b ab", the last letters of the keywords."""
    return [
        gradients(**{name: made for name, made in deviations.items() if name[-1] in way or name[-1] not in "ab"})  # type: ignore[arg-type]
        for way in ways.split()
    ]
