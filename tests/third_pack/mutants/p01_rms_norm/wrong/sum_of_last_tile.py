"""Keeps the squares of the last tile alone.

Mistake at: sum_sq = tl.sum(x * x, axis=0)
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _rms_norm_fwd(X, W, Y, x_row_stride, y_row_stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X_row = X + row * x_row_stride
    Y_row = Y + row * y_row_stride

    sum_sq = 0.0
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X_row + cols, mask=cols < N, other=0.0).to(tl.float32)
        sum_sq = tl.sum(x * x, axis=0)
    rrms = tl.rsqrt(sum_sq / N + eps)

    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X_row + cols, mask=cols < N, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y_row + cols, x * rrms * w, mask=cols < N)


def rms_norm(x, weight, eps):
    M, N = x.shape
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if M == 0 or N == 0:
        return y
    BLOCK = min(256, triton.next_power_of_2(N))
    _rms_norm_fwd[(M,)](x, weight, y, x.stride(0), y.stride(0), N, eps, BLOCK=BLOCK, num_warps=4)
    return y
