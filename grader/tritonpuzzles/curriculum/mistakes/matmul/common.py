"""Shared by the mistakes of matrix products: a kernel with possible deviations. a: (m, k), b: (k, n) float32 -> (m, n).

Tiles are BLOCK_M x BLOCK_N elements of the result, and an iteration takes BLOCK_K products of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import machine, same
from tritonpuzzles.curriculum.references import LEAKY_RELU, SLOPE

USUAL_GROUP = 8


@dataclass(frozen=True)
class Blocks:
    """The sizes of a kernel's tiles: m and n of the result, k products in an iteration, rows of tiles in a group."""

    m: int
    n: int
    k: int
    group: int


def blocks_of(tile: Tile) -> Blocks:
    """Return the sizes of tiles, by the names of a kernel's constants: BLOCK_M, BLOCK_SIZE_K, BN, GROUP_M.

    If the names do not show them, a tile of the result is (rows, cols), and an iteration takes `cols` products.
    """
    found = {"m": tile.rows, "n": tile.cols, "k": tile.cols, "group": USUAL_GROUP}
    for name, value in tile.constants.items():
        size = re.fullmatch(r"(?i)(?:\w*?(?:block|tile)\w*?_?|b)([mnk])", name)
        if re.search(r"(?i)group", name):
            found["group"] = value
        elif size is not None:
            found[size[1].lower()] = value
    return Blocks(**{name: max(1, size) for name, size in found.items()})


def seen_of(tile: Tile) -> tuple[Blocks, int]:
    """Return the part of a tile that the emulations use."""
    return blocks_of(tile), tile.programs


MISTAKES = Mistakes(seen_of)


@dataclass(frozen=True)
class Launch:
    """The inputs of deviations: the true matrices, the tile, and whether the call requests an activation."""

    a: Tensor
    b: Tensor
    tile: Tile
    blocks: Blocks
    asked: bool


Change = Callable[[Tensor, Launch], Tensor]  # of a matrix
Index = Callable[[Tensor, int], Tensor]  # indices of rows, columns or products, size of a tile -> those that are loaded
Count = Callable[[int, int], int]  # K, BLOCK_K -> products
Iteration = Callable[[Tensor, Tensor, Tensor, Launch], Tensor]  # (sums so far, tile of a, tile of b, launch) -> sums


def unscaled(numbers: Tensor, step: int) -> Tensor:
    """Start at the tile's index, without multiplying it by the tile's size."""
    return numbers // step + numbers % step


def leaky(c: Tensor, _: Launch, below: float = SLOPE, above: float = 1.0) -> Tensor:
    """Return a leaky ReLU."""
    return torch.where(c > 0, above * c, below * c)


def activated(c: Tensor, at: Launch) -> Tensor:
    """Apply the activation if the call requests it."""
    return leaky(c, at) if at.asked else c


def rounded(x: Tensor, at: Launch, dtype: torch.dtype | None = None) -> Tensor:
    """Round to a dtype, or to that of the inputs."""
    return x.to(dtype or at.tile.dtype).float()


@machine
def product(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    a: Change = same,  # the matrix that is read as a
    b: Change = same,
    rows: Index = same,  # rows of a that are loaded for those of a tile
    cols: Index = same,  # likewise for columns of b
    until: Count = lambda K, step: K,  # how many products are added, counted from the first
    k: Index = same,  # the products that are added instead
    k_of_a: Index = same,
    k_of_b: Index = same,
    iteration: Iteration | None = None,
    start: float = 0.0,  # where sums start
    padding: float = 0.0,  # product of two lanes past the end of K
    sums: Change = same,  # changes the complete sums
    tiles: Change | None = None,  # changes the sums as (rows of tiles, columns of tiles, BLOCK_M, BLOCK_N)
    activation: Change | None = leaky,  # if the call requests one
    stored: Change = same,  # changes the result
) -> Tensor:
    """Return what is stored: sums of whole rows and columns, or iteration by iteration if `iteration` is given."""
    blocks = blocks_of(tile)
    at = Launch(inputs[0], inputs[1], tile, blocks, tile.values.get("activation") == LEAKY_RELU)
    m, K, n, step = *at.a.shape, at.b.shape[1], blocks.k
    ks = k(torch.arange(K)[: until(K, step)], step)
    x = a(at.a, at)[rows(torch.arange(m), blocks.m)][:, k_of_a(ks, step)]
    y = b(at.b, at)[k_of_b(ks, step)][:, cols(torch.arange(n), blocks.n)]
    if iteration is None:
        acc = x @ y
    else:
        acc = torch.zeros(m, n)
        for now in range(0, len(ks), step):
            acc = iteration(acc, x[:, now : now + step], y[now : now + step], at)
    if missing := -K % step:
        acc = acc + missing * padding
    acc = sums(acc + start, at)
    if tiles is not None:
        acc = untiled(tiles(tiled(acc, blocks.m, blocks.n), at), m, n)
    if activation is not None and at.asked:
        acc = activation(acc, at)
    return stored(acc, at)


def tiled(x: Tensor, height: int, width: int) -> Tensor:
    """Return a matrix padded to whole tiles, as (rows of tiles, columns of tiles, height, width)."""
    whole = pad(x, (0, -x.shape[1] % width, 0, -x.shape[0] % height))
    return whole.reshape(whole.shape[0] // height, height, whole.shape[1] // width, width).transpose(1, 2)


def untiled(tiles: Tensor, m: int, n: int) -> Tensor:
    """Return a matrix of m rows and n columns from its tiles."""
    return tiles.transpose(1, 2).flatten(2).flatten(0, 1)[:m, :n]


def by_strides(x: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """Return what is read from a tensor without gaps with this shape and these strides; 0 outside of it."""
    places = torch.zeros(shape, dtype=torch.int64)
    for dim, stride in enumerate(strides):
        places += stride * torch.arange(shape[dim]).view(-1, *[1] * (len(shape) - dim - 1))
    flat = x.as_strided((x.numel(),), (1,)) if x.numel() else x.new_zeros(1)
    return torch.where(places < x.numel(), flat[places.clamp(max=len(flat) - 1)], 0.0)


def exchanged(x: Tensor, _: object) -> Tensor:
    """Return a matrix read with its two strides exchanged."""
    return by_strides(x, x.shape, x.stride()[::-1])
