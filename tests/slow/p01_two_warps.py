"""Softmax, one row per program; two warps hold the row, however long it is.

Cause: spills
Line: num_warps=2
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, inp, out_stride, inp_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    inp += row * inp_stride
    out += row * out_stride
    col = tl.arange(0, BLOCK)
    values = tl.load(inp + col, mask=col < n_cols, other=-float("inf")).to(tl.float32)
    values -= tl.max(values, axis=0)
    values = tl.exp(values)
    values /= tl.sum(values, axis=0)
    tl.store(out + col, values, mask=col < n_cols)


def softmax(x):
    rows, cols = x.shape
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    BLOCK = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](out, x, out.stride(0), x.stride(0), cols, BLOCK=BLOCK, num_warps=2)
    return out
