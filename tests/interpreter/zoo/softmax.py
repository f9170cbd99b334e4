"""Softmax in the ways that the puzzles teach."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, randn, zeros


@triton.jit
def one_tile(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


@triton.jit
def three_passes(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = float("-inf")
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
        total += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - m) / total, mask=cols < n_cols)


@triton.jit
def online(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m, total = float("-inf"), 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
        m_new = tl.maximum(m, tl.max(x, axis=0))
        total = total * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - m) / total, mask=cols < n_cols)


@triton.jit
def tiled(x_ptr, y_ptr, stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    m = tl.full((ROWS,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        x = tl.load(x_ptr + rows[:, None] * stride + cols[None, :], mask=mask, other=float("-inf"))
        m_new = tl.maximum(m, tl.max(x, axis=1))
        safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        total = total * tl.exp(m - safe) + tl.sum(tl.exp(x - safe[:, None]), axis=1)
        m = m_new
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        x = tl.load(x_ptr + rows[:, None] * stride + cols[None, :], mask=mask, other=float("-inf"))
        y = tl.exp(x - m[:, None]) / total[:, None]
        tl.store(y_ptr + rows[:, None] * n_cols + cols[None, :], y, mask=mask)


@triton.jit
def built_in(x_ptr, y_ptr, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * BLOCK + cols)
    tl.store(y_ptr + row * BLOCK + cols, tl.softmax(x))


CASES = [
    Case("softmax_one_tile", one_tile, (9,), lambda: (randn(9, 50)[:, :45], zeros(9, 45), 50, 45, 64)),
    Case("softmax_fp16", one_tile, (9,), lambda: (randn(9, 45, dtype=torch.float16), zeros(9, 45), 45, 45, 64)),
    Case("softmax_three_passes", three_passes, (9,), lambda: (randn(9, 45), zeros(9, 45), 45, 45, 16)),
    Case("softmax_online", online, (9,), lambda: (randn(9, 45), zeros(9, 45), 45, 45, 16)),
    Case("softmax_tiled", tiled, (5,), lambda: (randn(9, 45), zeros(9, 45), 45, 9, 45, 2, 16)),
    Case("softmax_built_in", built_in, (5,), lambda: (randn(5, 32), zeros(5, 32), 32)),
]
