"""Reads two float16 numbers as one of 32 bits, wherever a row begins.

Must: error illegal-memory-access
"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def load_pairs(row_ptr, pairs, n_pairs):
    """Return elements 2 * pairs and 2 * pairs + 1 of a row of 16-bit numbers, -inf past its end, as two fp32 tiles."""
    dtype: tl.constexpr = row_ptr.dtype.element_ty
    words = tl.load(row_ptr.to(tl.pointer_type(tl.int32)) + pairs, mask=pairs < n_pairs, other=0)
    even = (words & 0xFFFF).to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
    odd = (words >> 16).to(tl.int16).to(dtype, bitcast=True).to(tl.float32)
    inside = pairs < n_pairs
    return tl.where(inside, even, -float("inf")), tl.where(inside, odd, -float("inf"))


@triton.jit
def pair_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """The same for 16-bit numbers, two of which are loaded as one word of 32 bits; strides and n_cols are even."""
    row = tl.program_id(0).to(tl.int64)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride
    n_pairs = n_cols // 2

    m = -float("inf")
    for start in range(0, n_pairs, BLOCK_SIZE // 2):
        pairs = start + tl.arange(0, BLOCK_SIZE // 2)
        even, odd = load_pairs(x_row_ptr, pairs, n_pairs)
        m = tl.maximum(m, tl.max(tl.maximum(even, odd), axis=0))

    l = 0.0
    for start in range(0, n_pairs, BLOCK_SIZE // 2):
        pairs = start + tl.arange(0, BLOCK_SIZE // 2)
        even, odd = load_pairs(x_row_ptr, pairs, n_pairs)
        l += tl.sum(tl.exp(even - m) + tl.exp(odd - m), axis=0)

    for start in range(0, n_pairs, BLOCK_SIZE // 2):
        pairs = start + tl.arange(0, BLOCK_SIZE // 2)
        even, odd = load_pairs(x_row_ptr, pairs, n_pairs)
        cols = start * 2 + tl.arange(0, BLOCK_SIZE)
        y = tl.interleave(tl.exp(even - m) / l, tl.exp(odd - m) / l)
        tl.store(y_row_ptr + cols, y, mask=cols < n_cols)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, tile by tile."""
    row = tl.program_id(0).to(tl.int64)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride

    m = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))

    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        l += tl.sum(tl.exp(x - m), axis=0)

    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_row_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptr + cols, tl.exp(x - m) / l, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    # Half as many load instructions for 16-bit numbers, if rows are whole words.
    paired = x.element_size() == 2 and n_cols % 2 == 0 and x.stride(0) % 2 == 0
    kernel = pair_kernel if paired else softmax_kernel
    kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
