"""A kernel that multiplies matrices, with keywords for what may deviate. a: (m, k), b: (k, n) float32 -> (m, n)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.machines import machine
from tritonpuzzles.curriculum.mistakes.matmul.common import Blocks, blocks_of
from tritonpuzzles.curriculum.references import LEAKY_RELU, SLOPE


@dataclass(frozen=True)
class Launch:
    """What deviations go by: the matrices as they are, the tile, and whether the call asks for an activation."""

    a: Tensor
    b: Tensor
    tile: Tile
    blocks: Blocks
    asked: bool


Change = Callable[[Tensor, Launch], Tensor]  # of a matrix
Index = Callable[[Tensor, int], Tensor]  # numbers of rows, columns or products, size of a tile -> those that are loaded
Seen = Callable[[Tensor, int, int], Tensor]  # numbers of products, K, BLOCK_K -> whether they are added
Turn = Callable[[Tensor, Tensor, Launch], Tensor]  # the sums so far, a turn's products -> the sums


def same(x: Tensor, _: object) -> Tensor:
    """Change nothing."""
    return x


def unscaled(numbers: Tensor, step: int) -> Tensor:
    """Begin at the tile's number, and not at as many whole tiles."""
    return numbers // step + numbers % step


def leaky(c: Tensor, _: Launch, below: float = SLOPE, above: float = 1.0) -> Tensor:
    """Return a leaky ReLU."""
    return torch.where(c > 0, above * c, below * c)


def where_asked(change: Change) -> Change:
    """Return a change that is made where the call asks for an activation."""
    return lambda x, at: change(x, at) if at.asked else x


activated = where_asked(leaky)


@machine
def product(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    a: Change = same,  # what is read as a
    b: Change = same,
    rows: Index = same,  # which rows of a are loaded for those of a tile
    cols: Index = same,  # which columns of b are
    seen: Seen | None = None,  # which products are added at all
    k: Index = same,  # of which products of a row and a column they are made instead
    k_of_a: Index = same,
    k_of_b: Index = same,
    turn: Turn | None = None,
    start: float = 0.0,  # where sums start
    padding: float = 0.0,  # the product of two lanes past the end of K
    sums: Change = same,  # what becomes of the complete sums
    tiles: Change | None = None,  # and of them as (rows of tiles, columns of tiles, BLOCK_M, BLOCK_N)
    activation: Change = activated,
    stored: Change = same,  # what becomes of the result
) -> Tensor:
    """Return what is stored: the sums of whole rows and columns, or of one turn after the other where turns matter."""
    blocks = blocks_of(tile)
    at = Launch(inputs[0], inputs[1], tile, blocks, tile.values.get("activation") == LEAKY_RELU)
    (m, n), ks, step = (at.a.shape[0], at.b.shape[1]), torch.arange(at.a.shape[1]), blocks.k
    ks = k(ks if seen is None else ks[seen(ks, len(ks), step)], step)
    x = a(at.a, at)[rows(torch.arange(m), blocks.m)][:, k_of_a(ks, step)]
    y = b(at.b, at)[k_of_b(ks, step)][:, cols(torch.arange(n), blocks.n)]
    if turn is None:
        acc = x @ y
    else:
        acc = torch.zeros(m, n)
        for now in range(0, len(ks), step):
            acc = turn(acc, x[:, now : now + step] @ y[now : now + step], at)
    if missing := -at.a.shape[1] % step:
        acc = acc + missing * padding
    acc = sums(acc + start, at)
    if tiles is not None:
        acc = untiled(tiles(tiled(acc, blocks.m, blocks.n), at), m, n)
    return stored(activation(acc, at), at)


def tiled(x: Tensor, height: int, width: int) -> Tensor:
    """Return a matrix padded to whole tiles, as (rows of tiles, columns of tiles, height, width)."""
    whole = pad(x, (0, -x.shape[1] % width, 0, -x.shape[0] % height))
    return whole.reshape(whole.shape[0] // height, height, whole.shape[1] // width, width).transpose(1, 2)


def untiled(tiles: Tensor, m: int, n: int) -> Tensor:
    """Return a matrix of m rows and n columns from its tiles."""
    return tiles.transpose(1, 2).flatten(2).flatten(0, 1)[:m, :n]


def gathered(x: Tensor, places: Tensor) -> Tensor:
    """Return what lies at these places of a tensor without gaps; 0 where no element does."""
    inside = places < x.numel()
    flat = x.as_strided((x.numel(),), (1,)) if x.numel() else x.new_zeros(1)
    return torch.where(inside, flat[torch.where(inside, places, 0)], 0.0)


def by_strides(x: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """Return a matrix read in this shape and by these strides."""
    return gathered(x, torch.arange(shape[0])[:, None] * strides[0] + torch.arange(shape[1]) * strides[1])


def exchanged(x: Tensor, _: object) -> Tensor:
    """Return a matrix read with its two strides exchanged."""
    return by_strides(x, x.shape, x.stride()[::-1])
