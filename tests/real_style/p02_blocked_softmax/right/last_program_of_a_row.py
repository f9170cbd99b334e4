"""Splits a row among programs, the last of which merges what all have stored; a second kernel divides."""

import torch
import triton
import triton.language as tl


@triton.jit
def _reduce_tiles(X, PART, COUNT, STAT, stride, n_cols, TILES: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    tile = tl.program_id(1)
    tiles = tl.num_programs(1)
    cols = tile * WIDTH + tl.arange(0, WIDTH)
    x = tl.load(X + row * stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    e = tl.where(m == -float("inf"), 0.0, tl.exp(x - m))
    e = tl.where(x != x, x, e)
    mine = PART + (row * tiles + tile) * 2
    tl.store(mine, m)
    tl.store(mine + 1, tl.sum(e, axis=0))
    tl.debug_barrier()
    if tl.atomic_add(COUNT + row, 1, sem="acq_rel") == tiles - 1:
        which = tl.arange(0, TILES)
        parts = PART + (row * tiles + which) * 2
        ms = tl.load(parts, mask=which < tiles, other=-float("inf"))
        ls = tl.load(parts + 1, mask=which < tiles, other=0.0)
        top = tl.max(ms, axis=0)
        tl.store(STAT + 2 * row, top)
        tl.store(STAT + 2 * row + 1, tl.sum(tl.where(ls == 0.0, 0.0, ls * tl.exp(ms - top)), axis=0))


@triton.jit
def _divide(X, Y, STAT, x_stride, y_stride, n_cols, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = cols < n_cols
    x = tl.load(X + row * x_stride + cols, mask=inside, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(STAT + 2 * row)) / tl.load(STAT + 2 * row + 1)
    tl.store(Y + row * y_stride + cols, y, mask=inside)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    width = min(4096, max(32, triton.next_power_of_2(n_cols)))
    tiles = triton.cdiv(n_cols, width)
    part = torch.empty(n_rows, tiles, 2, dtype=torch.float32, device=x.device)
    stat = torch.empty(n_rows, 2, dtype=torch.float32, device=x.device)
    count = torch.zeros(n_rows, dtype=torch.int32, device=x.device)
    grid = (n_rows, tiles)
    _reduce_tiles[grid](x, part, count, stat, x.stride(0), n_cols, TILES=triton.next_power_of_2(tiles), WIDTH=width)
    _divide[grid](x, y, stat, x.stride(0), y.stride(0), n_cols, WIDTH=width)
    return y
