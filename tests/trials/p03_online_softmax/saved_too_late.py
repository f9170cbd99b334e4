"""The old maximum is saved after it was updated, so the factor on the old sum is always 1."""

import torch
import triton
import triton.language as tl

def reference(x):
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(X, Y, sx, sy, N, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    X += i * sx
    Y += i * sy
    J = tl.arange(0, BLOCK_SIZE)

    biggest = -3.4028234663852886e38
    total = 0.0
    k = 0
    while k < N:
        t = tl.load(X + k + J, mask=k + J < N, other=float("-inf")).to(tl.float32)
        biggest = tl.maximum(biggest, tl.max(t, axis=0))
        before = biggest
        total *= tl.exp(before - biggest)
        total += tl.sum(tl.exp(t - biggest), axis=0)
        k += BLOCK_SIZE

    k = 0
    while k < N:
        t = tl.load(X + k + J, mask=k + J < N, other=float("-inf")).to(tl.float32)
        tl.store(Y + k + J, tl.exp(t - biggest) / total, mask=k + J < N)
        k += BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n), 2048)
    softmax_kernel[(m,)](x, y, x.stride(0), y.stride(0), n, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return y
