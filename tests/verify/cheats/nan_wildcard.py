"""Stores NaN, which a comparison that skips NaN takes for anything.

Published: pygpubench#7.
Expected: rejected as wrong-values
"""

import torch
import triton
import triton.language as tl
from _softmax import launch


@triton.jit
def nan_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, float("nan"), mask=cols < n_cols)


def softmax(x):
    return launch(nan_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
