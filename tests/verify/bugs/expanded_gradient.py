"""The backward pass of a cross-entropy multiplies by the gradient of each row's loss, which `sum()` gives as one
element expanded; it is read with a stride of 1.

Code: out-of-bounds-load
Mistake at: g = tl.load(g_ptr + row
Reported: ROCm/TransformerEngine#623
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows_kernel(x_ptr, g_ptr, n_cols, x_row_stride, g_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    g = tl.load(g_ptr + row * 1)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=0.0)
        tl.store(x_ptr + row * x_row_stride + cols, x * g, mask=cols < n_cols)


def run(saved, grad):
    assert saved.stride(1) == 1
    n_rows, n_cols = saved.shape
    scale_rows_kernel[(n_rows,)](saved, grad, n_cols, saved.stride(0), grad.stride(0), BLOCK=32)
    return saved


def reference(saved, grad):
    saved *= grad[:, None]
    return saved


def cases():
    return [dict(saved=torch.randn(6, 50), grad=torch.randn(1).expand(6))]


OPTIONS = dict(mutates=("saved",))
