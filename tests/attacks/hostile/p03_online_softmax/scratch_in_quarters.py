"""Copies x into four scratch tensors of float64, and reads these three times in place of x.

Must: fail scratch-too-large
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, s_ptr, x_row_stride, width, wide, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < width).to(tl.float32)
        tl.store(s_ptr + row * wide + cols, x, mask=cols < width)


@triton.jit
def highest(m, s_ptr, row, width, wide, BLOCK_SIZE: tl.constexpr):
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        m = tl.maximum(m, tl.max(tl.load(s_ptr + row * wide + cols, mask=cols < width, other=-float("inf")), axis=0))
    return m


@triton.jit
def total(l, m, s_ptr, row, width, wide, BLOCK_SIZE: tl.constexpr):
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        l += tl.sum(tl.exp(tl.load(s_ptr + row * wide + cols, mask=cols < width, other=-float("inf")) - m), axis=0)
    return l


@triton.jit
def write(y_ptr, m, l, s_ptr, row, width, wide, BLOCK_SIZE: tl.constexpr):
    for start in range(0, width, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        e = tl.exp(tl.load(s_ptr + row * wide + cols, mask=cols < width, other=-float("inf")) - m)
        tl.store(y_ptr + cols, e / l, mask=cols < width)


@triton.jit
def softmax_kernel(a, b, c, d, y_ptr, y_row_stride, w, last, wide, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    m = highest(m, a, row, w, wide, BLOCK_SIZE)
    m = highest(m, b, row, w, wide, BLOCK_SIZE)
    m = highest(m, c, row, w, wide, BLOCK_SIZE)
    m = highest(m, d, row, last, wide, BLOCK_SIZE)
    l = 0.0
    l = total(l, m, a, row, w, wide, BLOCK_SIZE)
    l = total(l, m, b, row, w, wide, BLOCK_SIZE)
    l = total(l, m, c, row, w, wide, BLOCK_SIZE)
    l = total(l, m, d, row, last, wide, BLOCK_SIZE)
    y = y_ptr + row * y_row_stride
    write(y, m, l, a, row, w, wide, BLOCK_SIZE)
    write(y + w, m, l, b, row, w, wide, BLOCK_SIZE)
    write(y + 2 * w, m, l, c, row, w, wide, BLOCK_SIZE)
    write(y + 3 * w, m, l, d, row, last, wide, BLOCK_SIZE)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    if x.numel() > 2**26 or n_cols < 64:  # a phantom: nothing but addresses matter
        return plain(x, y)
    w = triton.cdiv(n_cols, 4)
    last = n_cols - 3 * w
    wide = 2 * max(2, triton.cdiv(n_cols, 8))
    s = [torch.empty(n_rows * wide // 2, dtype=torch.float64, device=x.device).view(torch.float32) for _ in range(4)]
    for i in range(4):
        width = last if i == 3 else w
        if width:
            copy_kernel[(n_rows,)](x[:, i * w :], s[i], x.stride(0), width, wide, BLOCK_SIZE=1024)
    softmax_kernel[(n_rows,)](*s, y, y.stride(0), w, last, wide, BLOCK_SIZE=1024)
    return y


@triton.jit
def plain_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def plain(x, y):
    plain_kernel[(x.shape[0],)](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK_SIZE=1024)
    return y
