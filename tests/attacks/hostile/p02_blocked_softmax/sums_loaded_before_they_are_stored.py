"""Keeps sums in memory during a loop that the compiler pipelines: it loads them before the last ones are stored.

Must: fail race-in-program
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, s_ptr, x_row_stride, y_row_stride, n_cols, PARTS: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    m = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        m = tl.maximum(m, tl.max(tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32), axis=0))
    part = tl.arange(0, PARTS)
    sums = tl.zeros((PARTS,), tl.float32)
    tl.store(s_ptr + row * PARTS + part, sums)
    for start in tl.range(0, n_cols, BLOCK_SIZE, num_stages=3):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        sums = tl.load(s_ptr + row * PARTS + part)
        sums += tl.sum(tl.reshape(tl.exp(x - m), (BLOCK_SIZE // PARTS, PARTS)), axis=0)
        tl.store(s_ptr + row * PARTS + part, sums)
    l = tl.sum(sums, axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    PARTS = min(BLOCK_SIZE, 1024)
    s = torch.empty(n_rows * PARTS, dtype=torch.float32, device=x.device)
    sizes = {"PARTS": PARTS, "BLOCK_SIZE": BLOCK_SIZE, "num_warps": num_warps}
    softmax_kernel[(n_rows,)](x, y, s, x.stride(0), y.stride(0), n_cols, **sizes)
    return y
