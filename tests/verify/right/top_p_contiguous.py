"""The tokens that reach a threshold, row by row, with the stride of the logits."""

import torch
import triton
import triton.language as tl


@triton.jit
def threshold_kernel(x_ptr, y_ptr, t_ptr, n_cols, x_row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    threshold = tl.load(t_ptr + row)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * n_cols + cols, tl.where(x < threshold, -float("inf"), x), mask=cols < n_cols)


def run(logits, threshold):
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    n_rows, n_cols = logits.shape
    y = torch.empty((n_rows, n_cols), dtype=logits.dtype, device=logits.device)
    threshold_kernel[(n_rows,)](logits, y, threshold, n_cols, logits.stride(0), BLOCK=64)
    return y


def reference(logits, threshold):
    return torch.where(logits < threshold[:, None], -float("inf"), logits)


def cases():
    return [dict(logits=torch.randn(5, 100), threshold=torch.randn(5))]
