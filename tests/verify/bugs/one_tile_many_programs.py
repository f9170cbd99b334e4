"""A small kernel that never asks for its program number, launched once for every four columns.

Code: written-alike
Mistake at: tl.store(y_ptr
Reported: thunlp/TritonBench#10
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n_rows, n_cols, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    for row in range(0, n_rows, BLOCK_ROWS):
        rows = row + tl.arange(0, BLOCK_ROWS)
        cols = tl.arange(0, BLOCK_COLS)
        mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
        offsets = rows[:, None].to(tl.int64) * stride + cols[None, :]
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0) * 2, mask=mask)


def run(x):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    copy_kernel[(n_cols // 4,)](
        x, y, n_rows, n_cols, x.stride(0), BLOCK_ROWS=4, BLOCK_COLS=triton.next_power_of_2(n_cols)
    )
    return y


def reference(x):
    return x * 2


def cases():
    return [dict(x=torch.randn(8, 16))]
