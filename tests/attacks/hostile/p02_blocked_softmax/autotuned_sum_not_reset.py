"""Adds sums up in an autotuned kernel, and does not set them to 0 before each of the autotuner's own runs.

Must: fail tuned-in-place | error tuned-in-place
"""

import torch
import triton
import triton.language as tl


@triton.jit
def max_kernel(x_ptr, m_ptr, x_row_stride, n_cols, tiles, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    row = pid // tiles
    cols = (pid % tiles) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    tl.atomic_max(m_ptr + row, tl.max(x, axis=0))


@triton.autotune(
    configs=[triton.Config({"BLOCK_SIZE": 4096}, num_warps=16), triton.Config({"BLOCK_SIZE": 2048}, num_warps=8)],
    key=["n_cols"],
)
@triton.jit
def sum_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    tiles = tl.cdiv(n_cols, BLOCK_SIZE)
    row = pid // tiles
    cols = (pid % tiles) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    tl.atomic_add(l_ptr + row, tl.sum(tl.exp(x - tl.load(m_ptr + row)), axis=0))


@triton.jit
def divide_kernel(x_ptr, y_ptr, m_ptr, l_ptr, x_row_stride, y_row_stride, n_cols, tiles, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    row = pid // tiles
    cols = (pid % tiles) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.load(m_ptr + row)) / tl.load(l_ptr + row)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y

    m = torch.full((n_rows,), -float("inf"), dtype=torch.float32, device=x.device)
    l = torch.zeros((n_rows,), dtype=torch.float32, device=x.device)
    BLOCK_SIZE = 4096
    tiles = triton.cdiv(n_cols, BLOCK_SIZE)
    max_kernel[(n_rows * tiles,)](x, m, x.stride(0), n_cols, tiles, BLOCK_SIZE=BLOCK_SIZE, num_warps=16)
    sum_kernel[lambda meta: (n_rows * triton.cdiv(n_cols, meta["BLOCK_SIZE"]),)](x, m, l, x.stride(0), n_cols)
    divide_kernel[(n_rows * tiles,)](
        x, y, m, l, x.stride(0), y.stride(0), n_cols, tiles, BLOCK_SIZE=BLOCK_SIZE, num_warps=16
    )
    return y
