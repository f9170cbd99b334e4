"""What programs of a product share, and how far apart in launch order: by two orders of tiles."""

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.reuse import LANES, multiplies, reuse_of

SIZE, TILE = 4096, 64
TILES = SIZE // TILE


@triton.jit
def along_axes(x_ptr, y_ptr, out_ptr, K, TILE: tl.constexpr):
    """Neighbours have the same columns."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    ks = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, K, TILE):
        x = tl.load(x_ptr + rows[:, None] * K + start + ks)
        y = tl.load(y_ptr + (start + ks)[:, None] * K + columns)
        total = tl.dot(x, y, total)
    tl.store(out_ptr + rows[:, None] * K + columns, total.to(tl.float16))


@triton.jit
def in_groups(x_ptr, y_ptr, out_ptr, K, TILE: tl.constexpr):
    """Eight rows of tiles are a group."""
    across: tl.constexpr = 8
    tiles = K // TILE
    number = tl.program_id(0)
    rows = (number // (across * tiles) * across + number % across) * TILE + tl.arange(0, TILE)
    columns = number % (across * tiles) // across * TILE + tl.arange(0, TILE)
    ks = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, K, TILE):
        x = tl.load(x_ptr + rows[:, None] * K + start + ks)
        y = tl.load(y_ptr + (start + ks)[:, None] * K + columns)
        total = tl.dot(x, y, total)
    tl.store(out_ptr + rows[:, None] * K + columns, total.to(tl.float16))


@triton.jit
def doubled(x_ptr, y_ptr, out_ptr, K, TILE: tl.constexpr):
    """Nothing is loaded twice, nor multiplied."""
    columns = tl.program_id(0) * TILE + tl.arange(0, TILE)
    tl.store(out_ptr + columns, 2 * tl.load(x_ptr + columns))


def reuse(kernel, grid, lanes=LANES):
    tensors = (torch.empty((SIZE, SIZE), dtype=torch.float16, device="meta") for _ in range(3))
    arguments = dict(zip(("x_ptr", "y_ptr", "out_ptr"), tensors, strict=True)) | {"K": SIZE, "TILE": TILE}
    return dict(reuse_of(kernel, arguments, {}, grid, lanes))


def test_programs_along_an_axis_share_with_the_one_before_and_with_the_next_column() -> None:
    assert reuse(along_axes, (TILES, TILES, 1)) == pytest.approx({1: 0.5, TILES: 0.5, 107: 0.0}, abs=0.03)


def test_programs_in_groups_share_all_with_near_ones() -> None:
    found = reuse(in_groups, (TILES * TILES, 1, 1))
    assert found == pytest.approx({1: 0.44, 8: 0.5, 107: 0.0}, abs=0.03)  # one of eight begins new columns


def test_fewer_programs_see_less_far() -> None:
    assert reuse(along_axes, (TILES, TILES, 1), LANES // 16) == {1: 0.5, 14: 0.0}
    assert reuse(along_axes, (TILES, TILES, 1), LANES // 32) == {}


def test_without_a_product_nothing_is_asked() -> None:
    assert multiplies(along_axes)
    assert not multiplies(doubled)
    assert reuse(doubled, (TILES, 1, 1)) == {}
