"""A kernel that promises the compiler a program number above 0; there is a program 0.

Code: promise-broken
Mistake at: tl.assume(pid
Reported: ROCm/aiter#4288
"""

import torch
import triton
import triton.language as tl


@triton.jit
def static_scale_kernel(x_ptr, y_ptr, s_ptr, n_cols, x_row_stride, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    tl.assume(pid > 0)
    tl.assume(x_row_stride > 0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + pid.to(tl.int64) * x_row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + pid.to(tl.int64) * n_cols + cols, x / tl.load(s_ptr), mask=mask)


def run(x, scale):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    static_scale_kernel[(n_rows,)](x, y, scale, n_cols, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y


def reference(x, scale):
    return x / scale


def cases():
    return [dict(x=torch.randn(5, 50), scale=torch.tensor([2.5]))]
