"""Blocked softmax: whole tiles without a mask, then the tail with one."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def tail_of(row_ptr, cols, n_cols):
    return tl.load(row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)
    whole = n_cols // BLOCK_SIZE * BLOCK_SIZE
    rest = whole + lanes  # columns of the tail

    m = tl.full((), -float("inf"), tl.float32)
    for s in range(0, whole, BLOCK_SIZE):
        m = tl.maximum(m, tl.max(tl.load(x_ptr + s + lanes).to(tl.float32), axis=0))
    if whole < n_cols:
        m = tl.maximum(m, tl.max(tail_of(x_ptr, rest, n_cols), axis=0))

    l = tl.zeros((), tl.float32)
    for s in range(0, n_cols - BLOCK_SIZE, BLOCK_SIZE):
        l += tl.sum(tl.exp(tl.load(x_ptr + s + lanes).to(tl.float32) - m), axis=0)
    if whole < n_cols:
        l += tl.sum(tl.exp(tail_of(x_ptr, rest, n_cols) - m), axis=0)

    for s in range(0, whole, BLOCK_SIZE):
        tl.store(y_ptr + s + lanes, tl.exp(tl.load(x_ptr + s + lanes).to(tl.float32) - m) / l)
    if whole < n_cols:
        tl.store(y_ptr + rest, tl.exp(tail_of(x_ptr, rest, n_cols) - m) / l, mask=rest < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=4)
    return y
