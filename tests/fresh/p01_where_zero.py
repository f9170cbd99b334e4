"""Lanes past the end are set to 0 before the exponential: each adds e^0 = 1 to the sum.

Mistake at: v = tl.where(ok, v - tl.max(v, 0), 0.0)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_softmax(inp, outp, stride_in, stride_out, ncols, W: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    inp += r * stride_in
    outp += r * stride_out
    j = tl.arange(0, W)
    ok = j < ncols
    v = tl.load(inp + j, mask=ok, other=float("-inf")).to(tl.float32)
    v = tl.where(ok, v - tl.max(v, 0), 0.0)
    e = tl.exp(v)
    tl.store(outp + j, e / tl.sum(e, 0), mask=ok)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    W = triton.next_power_of_2(n_cols)
    row_softmax[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, W, num_warps=4 if W < 4096 else 16)
    return y
