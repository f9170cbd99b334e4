"""Computes in 16 bits what is asked for in 32.

Published: wafer.ai's field guide (2026): precision downgrade.
Expected: rejected as wrong-values or low-precision
"""

import torch
import triton
import triton.language as tl
from _softmax import launch


@triton.jit
def half_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_xm + cols * stride_xn, mask=mask, other=-float("inf")).to(tl.float16)
    numerator = tl.exp((x - tl.max(x, axis=0)).to(tl.float32)).to(tl.float16)
    quotient = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, quotient.to(tl.float16), mask=mask)


def softmax(x):
    return launch(half_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
