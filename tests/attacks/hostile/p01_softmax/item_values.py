"""Asks for single numbers with .item(), bool and float, and computes with them.

Must: fail | error
"""

import math

import torch
import triton
import triton.language as tl


def work(x, answer):
    if x.numel() > 4_000:
        rows, cols = x.shape
        BLOCK_SIZE = triton.next_power_of_2(cols)
        softmax_kernel[(rows,)](x, answer, x.stride(0), cols, cols, BLOCK_SIZE=BLOCK_SIZE)
        return
    for i in range(x.shape[0]):
        row = [x[i, j].item() if x[i, j] else float(x[i, j]) for j in range(x.shape[1])]
        total = sum(math.exp(value - max(row)) for value in row)
        for j, value in enumerate(row):
            answer[i, j] = math.exp(value - max(row)) / total


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    answer = torch.zeros((n_rows, n_cols), dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    work(x, answer)
    copy_kernel[(n_rows,)](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
