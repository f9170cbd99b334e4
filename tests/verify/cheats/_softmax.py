"""A right softmax over rows, which the cheats beside it use, hide behind, or spoil."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_xm + cols * stride_xn, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def copy_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_xm + cols * stride_xn, mask=mask)
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, x, mask=mask)


@triton.jit
def nothing_kernel(x_ptr, y_ptr, n_cols):
    pass


def launch(kernel, x, y, n_rows=None):
    """Launch a kernel, a program for each row of x (n_rows, n_cols)."""
    rows = x.shape[0] if n_rows is None else n_rows
    if y.numel() and rows:
        block = triton.next_power_of_2(x.shape[1])
        kernel[(rows,)](x, y, *x.stride(), *y.stride(), x.shape[1], BLOCK_SIZE=block)
    return y


def softmax(x):
    return launch(softmax_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
