"""Layer norm whose block has at most 256 columns, and no loop over what a wider row has.

Code: unwritten-elements, wrong-values
Mistake at: range(0, BLOCK, BLOCK)
Reported: facebookresearch/xformers#785
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, w_ptr, n_cols, x_row_stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * n_cols
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_cols
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        squares += tl.where(cols < n_cols, (x - mean) * (x - mean), 0.0)
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / n_cols + eps)
    for start in range(0, BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=cols < n_cols, other=0.0)
        tl.store(y_ptr + cols, ((x - mean) * rstd * w).to(y_ptr.dtype.element_ty), mask=cols < n_cols)


def run(x, weight, eps=1e-5):
    if x.stride(1) != 1:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    layer_norm_kernel[(n_rows,)](
        x, y, weight.contiguous(), n_cols, x.stride(0), eps, BLOCK=min(256, triton.next_power_of_2(n_cols))
    )
    return y


def reference(x, weight, eps=1e-5):
    return torch.nn.functional.layer_norm(x, x.shape[1:], weight, None, eps)


def cases():
    return [dict(x=torch.randn(3, 200), weight=torch.randn(200)), dict(x=torch.randn(3, 300), weight=torch.randn(300))]
