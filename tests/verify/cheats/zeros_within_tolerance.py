"""Returns zeros where every right value is below a usual absolute tolerance.

Published: KernelBench#165.
Expected: rejected as wrong-values
Shape: 3x4096
"""

import torch
import triton
import triton.language as tl
from _softmax import launch


@triton.jit
def zero_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, 0.0, mask=cols < n_cols)


def softmax(x):
    return launch(zero_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
