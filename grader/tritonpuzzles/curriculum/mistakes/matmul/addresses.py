"""Mistakes of addresses inside a matrix: strides exchanged, tiles transposed. a: (m, k), b: (k, n) float32.

A tensor here has the strides of the call, but where its rows have gaps.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    DOT,
    MISTAKES,
    MOVE_B,
    STORE,
    Inputs,
    blocks_of,
    product,
    tiled,
    untiled,
)

POINTERS_A, POINTERS_B = r"\ba_?ptr\w*\s*\+", r"\bb_?ptr\w*\s*\+"


def _at(x: Tensor, rows: Tensor, cols: Tensor, strides: tuple[int, ...]) -> Tensor:
    """Return what lies at these rows and columns by other strides; 0 where no element does."""
    flat = x.as_strided((x.numel(),), (1,))
    places = rows * strides[0] + cols * strides[1]
    inside = places < x.numel()
    return torch.where(inside, flat[torch.where(inside, places, 0)] if x.numel() else 0.0, 0.0)


def _read_by(x: Tensor, strides: tuple[int, ...]) -> Tensor:
    """Return a matrix read by other strides."""
    rows, cols = torch.arange(x.shape[0])[:, None], torch.arange(x.shape[1])[None, :]
    return _at(x, rows, cols, strides)


@MISTAKES.add(
    "strides-exchanged",
    "The two strides of a matrix are exchanged: rows are counted by the stride of the columns, and the matrix is read "
    "transposed.",
    "Element (i, k) of a is at i * stride_am + k * stride_ak, element (k, j) of b at k * stride_bk + j * stride_bn.",
    rf"{POINTERS_A}.*(\[:,\s*None\]\s*\*\s*stride_ak|\[None,\s*:\]\s*\*\s*stride_am)",
    rf"{POINTERS_B}.*(\[:,\s*None\]\s*\*\s*stride_bn|\[None,\s*:\]\s*\*\s*stride_bk)",
    POINTERS_A,
    POINTERS_B,
)
def strides_of_a_exchanged(inputs: Inputs, tile: Tile) -> Tensor:
    """a at i * stride_ak + k * stride_am."""
    a, b = inputs
    return product(_read_by(a, a.stride()[::-1]), b, tile)


@MISTAKES.also("strides-exchanged")
def strides_of_b_exchanged(inputs: Inputs, tile: Tile) -> Tensor:
    """b at k * stride_bn + j * stride_bk."""
    a, b = inputs
    return product(a, _read_by(b, b.stride()[::-1]), tile)


@MISTAKES.also("strides-exchanged")
def strides_of_both_exchanged(inputs: Inputs, tile: Tile) -> Tensor:
    """Both."""
    a, b = inputs
    return product(_read_by(a, a.stride()[::-1]), _read_by(b, b.stride()[::-1]), tile)


@MISTAKES.add(
    "stride-of-another",
    "b is addressed by another stride than its own: a row of b is stride_bk elements from the next, in the pointers as "
    "where they are moved on.",
    "Rows of b are stride_bk apart, also from turn to turn: b_ptrs += BLOCK_K * stride_bk.",
    MOVE_B,
    POINTERS_B,
)
def b_has_the_strides_of_a(inputs: Inputs, tile: Tile) -> Tensor:
    """b at k * stride_am + j * stride_ak."""
    a, b = inputs
    return product(a, _read_by(b, a.stride()), tile)


@MISTAKES.also("stride-of-another")
def moved_on_without_the_stride_of_b(inputs: Inputs, tile: Tile) -> Tensor:
    """Turn j of b begins j * BLOCK_K elements into it, and not as many rows."""
    return _by_turns(inputs, tile, 1)


@MISTAKES.also("stride-of-another")
def moved_on_by_the_stride_of_a(inputs: Inputs, tile: Tile) -> Tensor:
    """Turn j of b begins j * BLOCK_K * stride_ak elements into it."""
    return _by_turns(inputs, tile, inputs[0].stride(1))


def _by_turns(inputs: Inputs, tile: Tile, stride: int) -> Tensor:
    """Return the product where a turn of b begins `stride` elements behind the last for each product in between."""
    (a, b), step = inputs, blocks_of(tile).k
    ks = torch.arange(b.shape[0])
    starts, within = ks // step * step, ks % step
    places = (starts * stride + within * b.stride(0))[:, None]
    return product(a, _at(b, places, torch.arange(b.shape[1])[None, :], (1, b.stride(1))), tile)


@MISTAKES.add(
    "tile-transposed",
    "A square tile is transposed: the numbers are right and stand in each other's place.",
    "{acc} is (BLOCK_M, BLOCK_N): rows of a along axis 0, columns of b along axis 1, in the loads as in the store.",
    r"tl\.trans\(|\.T\b",
    STORE,
    DOT,
)
def result_transposed(inputs: Inputs, tile: Tile) -> Tensor:
    """Each square tile of the result transposed; of others nothing is known."""
    return _transposed(inputs, tile)


def _transposed(inputs: Inputs, tile: Tile) -> Tensor:
    (a, b), blocks = inputs, blocks_of(tile)
    c = product(a, b, tile)
    return untiled(tiled(c, blocks).mT, inputs) if blocks.m == blocks.n else c


@MISTAKES.also("tile-transposed")
def a_transposed_in_its_tile(inputs: Inputs, tile: Tile) -> Tensor:
    """Each square tile of a transposed, as by tl.trans(a) before the product."""
    (a, b), blocks = inputs, blocks_of(tile)
    return product(_turned(a, blocks.m, blocks.k), b, tile)


@MISTAKES.also("tile-transposed")
def b_transposed_in_its_tile(inputs: Inputs, tile: Tile) -> Tensor:
    """Each square tile of b transposed."""
    (a, b), blocks = inputs, blocks_of(tile)
    return product(a, _turned(b, blocks.k, blocks.n), tile)


def _turned(x: Tensor, height: int, width: int) -> Tensor:
    """Return a matrix with its square tiles transposed."""
    if height != width or not x.numel():
        return x
    rows, cols = x.shape
    whole = torch.nn.functional.pad(x, (0, -cols % width, 0, -rows % height))
    tiles = whole.reshape(whole.shape[0] // height, height, -1, width).permute(0, 3, 2, 1)
    return tiles.reshape(whole.shape)[:rows, :cols]
