"""exp2 without the factor log2(e): the weights are powers of 2 and not of e."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


# exp2 is one instruction on the GPU, exp is two
@triton.jit
def softmax_kernel(A, B, lda, ldb, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    A += i * lda
    B += i * ldb
    k = tl.arange(0, BLOCK_SIZE)
    a = tl.load(A + k, mask=k < n, other=float("-inf")).to(tl.float32)
    p = tl.exp2(a - tl.max(a, 0))
    s = 1.0 / tl.sum(p, 0)
    tl.store(B + k, p * s, mask=k < n)


def softmax(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty_like(x)
    if m * n == 0:
        return y
    block = triton.next_power_of_2(n)
    nw = 1
    while nw < 16 and nw * 512 < block:
        nw *= 2
    softmax_kernel[(m,)](x, y, x.stride(0), y.stride(0), n, BLOCK_SIZE=block, num_warps=nw)
    return y
