"""Scans pairs of maximum and sum: a tuple of two of the largest tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def merge(top_l, tot_l, top_r, tot_r):
    top = tl.maximum(top_l, top_r)
    return top, tot_l * tl.exp(top_l - top) + tot_r * tl.exp(top_r - top)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK_SIZE)
    best = -3.4028234663852886e38
    total = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        x = tl.load(x_ptr + row * x_row_stride + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(
            tl.float32
        )
        first = tl.maximum(x, -3.4028234663852886e38)
        states = tl.associative_scan((first, tl.exp(x - first)), 0, merge)
        tile_top = tl.max(states[0], axis=0)
        tile_sum = tl.sum(tl.where(lanes == BLOCK_SIZE - 1, states[1], 0.0), axis=0)
        new = tl.maximum(best, tile_top)
        total = total * tl.exp(best - new) + tile_sum * tl.exp(tile_top - new)
        best = new
    for start in range(0, n_cols, BLOCK_SIZE):
        ok = start + lanes < n_cols
        x = tl.load(x_ptr + row * x_row_stride + start + lanes, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + start + lanes, tl.exp(x - best) / total, mask=ok)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](
        x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=max(BLOCK_SIZE // 256, 1)
    )
    return y
