"""Layer norm in one tile: lanes past the row's end are 0, less the mean they are not, and their squares are summed.

Code: wrong-values
Mistake at: centred = x - mean
Reported: triton-lang/triton#9838, unslothai/unsloth#1867, linkedin/Liger-Kernel#518
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, n_cols, x_row_stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = x - mean
    var = tl.sum(centred * centred, axis=0) / n_cols
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0)
    y = centred / tl.sqrt(var + eps) * w + b
    tl.store(y_ptr + row * n_cols + cols, y.to(y_ptr.dtype.element_ty), mask=mask)


def run(x, weight, bias, eps=1e-5):
    if x.stride(1) != 1:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    layer_norm_kernel[(n_rows,)](
        x, y, weight.contiguous(), bias.contiguous(), n_cols, x.stride(0), eps, BLOCK=triton.next_power_of_2(n_cols)
    )
    return y


def reference(x, weight, bias, eps=1e-5):
    return torch.nn.functional.layer_norm(x, x.shape[1:], weight, bias, eps)


def cases():
    return [dict(x=torch.randn(8, 64) + 2, weight=torch.randn(64), bias=torch.randn(64))]
