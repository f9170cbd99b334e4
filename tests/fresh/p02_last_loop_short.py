"""The third loop runs N // B times, rounded down: the last tile is not written.

Mistake at: for t in range(N // B):
"""

import torch
import triton
import triton.language as tl


@triton.jit
def long_softmax(X, Y, sx, sy, N, B: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    X = X + pid * sx
    Y = Y + pid * sy
    lanes = tl.arange(0, B)

    biggest = -float("inf")
    for t in range(tl.cdiv(N, B)):
        c = t * B + lanes
        v = tl.load(X + c, mask=c < N, other=-float("inf")).to(tl.float32)
        biggest = tl.maximum(biggest, tl.max(v, 0))

    denom = 0.0
    for t in range(tl.cdiv(N, B)):
        c = t * B + lanes
        v = tl.load(X + c, mask=c < N, other=-float("inf")).to(tl.float32)
        denom += tl.sum(tl.exp(v - biggest), 0)

    for t in range(N // B):
        c = t * B + lanes
        v = tl.load(X + c, mask=c < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + c, tl.exp(v - biggest) / denom, mask=c < N)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    B = min(triton.next_power_of_2(n_cols), 1024)
    long_softmax[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, B)
    return y
