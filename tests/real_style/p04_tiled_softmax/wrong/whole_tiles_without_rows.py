"""Drops every mask in whole tiles, also that of the rows.

Code: out-of-bounds-load
Device: cpu
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
import triton
import triton.language as tl


@dataclass(frozen=True)
class Tile:
    rows: int
    cols: int
    warps: int


@lru_cache(maxsize=128)
def tile_for(n_rows: int, n_cols: int, element_size: int) -> Tile:
    cols = min(triton.next_power_of_2(n_cols), 512 if element_size == 4 else 1024)
    rows = 2
    while rows < 32 and rows * cols < 2048 and 2 * rows <= triton.next_power_of_2(n_rows):
        rows *= 2
    return Tile(rows, cols, 4 if rows * cols <= 1024 else 8)


@triton.jit
def _load(ptrs, rows_ok, cols, n_cols, MASKED: tl.constexpr):
    if MASKED:
        x = tl.load(ptrs, mask=rows_ok & (cols < n_cols), other=float("-inf"))
    else:
        x = tl.load(ptrs)
    return x.to(tl.float32)


@triton.jit
def _step(m, l, x):
    new = tl.maximum(m, tl.max(x, 1, keep_dims=True))
    return new, l * tl.exp(m - new) + tl.sum(tl.exp(x - new), 1, keep_dims=True)


@triton.jit
def grouped(x_ptr, y_ptr, sx, sy, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS).to(tl.int64)[:, None]
    rows_ok = row < n_rows
    lane = tl.arange(0, COLS)[None, :]
    x_ptr += row * sx
    y_ptr += row * sy
    edge = n_cols - n_cols % COLS
    m = tl.full((ROWS, 1), -3.4e38, tl.float32)
    l = tl.zeros((ROWS, 1), tl.float32)
    for start in tl.range(0, edge, COLS, num_stages=3):
        m, l = _step(m, l, _load(x_ptr + start + lane, rows_ok, start + lane, n_cols, False))
    if edge != n_cols:
        m, l = _step(m, l, _load(x_ptr + edge + lane, rows_ok, edge + lane, n_cols, True))
    for start in tl.range(0, edge, COLS, num_stages=3):
        x = _load(x_ptr + start + lane, rows_ok, start + lane, n_cols, False)
        tl.store(y_ptr + start + lane, tl.exp(x - m) / l, mask=rows_ok)
    if edge != n_cols:
        x = _load(x_ptr + edge + lane, rows_ok, edge + lane, n_cols, True)
        tl.store(y_ptr + edge + lane, tl.exp(x - m) / l, mask=rows_ok & (edge + lane < n_cols))


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    tile = tile_for(n_rows, n_cols, x.element_size())
    grouped[triton.cdiv(n_rows, tile.rows),](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, tile.rows, tile.cols, num_warps=tile.warps
    )
    return y
