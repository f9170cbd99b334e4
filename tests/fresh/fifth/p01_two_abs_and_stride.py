"""Two: the maximum is that of the absolute values, and the store steps through y with the stride of x."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(X, Y, ldx, ldy, N, BN: tl.constexpr):
    m = tl.program_id(0).to(tl.int64)
    n = tl.arange(0, BN)
    X += m * ldx
    Y += m * ldx
    a = tl.load(X + n, mask=n < N, other=-float("inf")).to(tl.float32)
    amax = tl.max(tl.abs(a), axis=0)
    a = tl.exp(a - amax)
    tl.store(Y + n, tl.fdiv(a, tl.sum(a, axis=0)), mask=n < N)


def softmax(x: torch.Tensor) -> torch.Tensor:
    M, N = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BN = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, y, x.stride(0), y.stride(0), N, BN=BN, num_warps=min(max(BN // 512, 1), 16))
    return y
