"""Copies row after row and never reads the index.

Code: index-ignored
Code on cuda: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_rows_kernel(table_ptr, index_ptr, y_ptr, table_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pick = tl.program_id(0).to(tl.int64)
    row = pick
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        values = tl.load(table_ptr + row * table_row_stride + cols, mask=mask)
        tl.store(y_ptr + pick * y_row_stride + cols, values, mask=mask)


def gather_rows(table, index):
    n_cols, n_picks = table.shape[1], index.shape[0]
    y = torch.empty((n_picks, n_cols), dtype=table.dtype, device=table.device)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    gather_rows_kernel[(n_picks,)](table, index, y, table.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
