"""Does not scale what is kept.

Mistake at: y = tl.where(k != 0, x.to(tl.float32), 0.0)
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _dropout_rows(X, K, Y, sx, sk, sy, n, scale, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    X += r * sx
    K += r * sk
    Y += r * sy
    for c in range(0, n, BLOCK):
        i = c + tl.arange(0, BLOCK)
        x = tl.load(X + i, mask=i < n)
        k = tl.load(K + i, mask=i < n)
        y = tl.where(k != 0, x.to(tl.float32), 0.0)
        tl.store(Y + i, y, mask=i < n)


def dropout(x, keep, p):
    m, n = x.shape
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if m and n:
        scale = 1 / (1 - p)
        _dropout_rows[(m,)](x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n, scale, BLOCK=512)
    return y
