"""What the mistakes of products with gradients share: c = x y, dx = g y^T and dy = x^T g, where x = op(a), y = op(b).

x: (m, k), y: (k, n), g: (m, n) float32; the gradients of a and b are dx and dy, transposed where a and b were.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import blocks_of, seen_of
from tritonpuzzles.curriculum.references import turned

Inputs = tuple[Tensor, ...]
MISTAKES = Mistakes(seen_of)

BACK_A, BACK_B = r"\bd(a|x)\w*\s*=(?!.*(empty|zeros|None))", r"\bd(b|y)\w*\s*=(?!.*(empty|zeros|None))"
CALL = r"^\s*(\w+\s*=\s*)?\w+\(.*\bg\b"  # a launch with g in it, by way of a function of the file's
RETURN = r"^\s*return\b.*,"
SAVE = r"save_for_backward|ctx\.\w+\s*="


@dataclass(frozen=True)
class Call:
    """One backward pass of one call.

    Attributes:
        a, b: as they are passed.
        g: of this pass, (m, n).
        tile: that the kernel worked with.
    """

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

    def to_a(self, dx: Tensor) -> Tensor:
        """Return the gradient of a that this gradient of x is."""
        return turned(dx, self.transpose_a)

    def to_b(self, dy: Tensor) -> Tensor:
        """Return the gradient of b that this gradient of y is."""
        return turned(dy, self.transpose_b)


Made = Callable[[Call], Tensor]


def right_c(call: Call) -> Tensor:
    """The result."""
    return call.x @ call.y


def right_da(call: Call) -> Tensor:
    """The gradient of a."""
    return call.to_a(call.g @ call.y.mT)


def right_db(call: Call) -> Tensor:
    """The gradient of b."""
    return call.to_b(call.x.mT @ call.g)


def calls_of(inputs: Inputs, tile: Tile) -> list[Call]:
    """Return the passes of a call."""
    a, b, *against = inputs
    flags = bool(tile.values["transpose_a"]), bool(tile.values["transpose_b"])
    return [Call(a, b, g, *flags, tile) for g in against]


def emulated(
    inputs: Inputs, tile: Tile, c: Made = right_c, da: Made = right_da, db: Made = right_db
) -> tuple[Tensor, ...]:
    """Return what a kernel gives that makes these of a call: the gradients of each pass, then the result."""
    calls, makers = calls_of(inputs, tile), {"a": da, "b": db}
    gradients = (makers[name](call) for call in calls for name in ("a", "b") if name in tile.gradients)
    return (*gradients, c(calls[0]))


def launched(x: Tensor, y: Tensor, like: Tensor, tile: Tile) -> Tensor:
    """Return what the kernel leaves in an output for these matrices, whether they fit each other or not.

    As the stub's `multiply` does, it takes M and K from x and N from y, and goes by strides: what lies outside of a
    tensor is 0 where it is loaded, and is not stored. The output begins as NaN; a later program overwrites an earlier.

    Args:
        x: (M, K).
        y: (any, N).
        like: in the shape and with the strides that the output is addressed by.
        tile: of the kernel.

    Returns:
        A matrix in the shape of `like`.
    """
    (m, k), n = x.shape, y.shape[1]
    c = (x @ _read(y, (k, n))).numpy()
    found = np.full(like.numel(), np.nan, np.float32)
    blocks, (down, along) = blocks_of(tile), like.stride()
    for row in range(0, m, blocks.m):
        for col in range(0, n, blocks.n):
            part = c[row : row + blocks.m, col : col + blocks.n]
            rows, cols = np.arange(row, row + part.shape[0]), np.arange(col, col + part.shape[1])
            places = rows[:, None] * down + cols[None, :] * along
            inside = places < found.size
            found[places[inside]] = part[inside]
    return torch.from_numpy(found).as_strided(like.shape, like.stride())


def _read(y: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return a matrix read in another shape, by its own strides."""
    if tuple(y.shape) == shape or not y.numel():
        return y if tuple(y.shape) == shape else torch.zeros(shape)
    return by_strides(y, shape, y.stride())


def by_strides(x: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """Return a matrix read by other strides; 0 where no element lies."""
    if not x.numel():
        return torch.zeros(shape)
    flat = x.as_strided((x.numel(),), (1,))
    places = torch.arange(shape[0])[:, None] * strides[0] + torch.arange(shape[1])[None, :] * strides[1]
    inside = places < x.numel()
    return torch.where(inside, flat[torch.where(inside, places, 0)], 0.0)


def empty_like(x: Tensor) -> Tensor:
    """Return a matrix without numbers that lies in memory as torch.empty_like(x) does."""
    return torch.empty_like(x)
