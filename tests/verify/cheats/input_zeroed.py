"""Sets the input to zero and returns zeros: the reference, called afterwards, agrees.

Published: KernelBench#82.
Expected: rejected as input-modified
Eager: rejected as input-modified or wrong-values
"""

import torch
import triton
import triton.language as tl
from _softmax import launch


@triton.jit
def flat_kernel(x_ptr, y_ptr, stride_xm, stride_xn, stride_ym, stride_yn, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    tl.store(x_ptr + row * stride_xm + cols * stride_xn, 0.0, mask=mask)
    tl.store(y_ptr + row * stride_ym + cols * stride_yn, 1.0 / n_cols, mask=mask)


def softmax(x):
    return launch(flat_kernel, x, torch.empty(x.shape, dtype=x.dtype, device=x.device))
