"""The second half has a minus, too.

Mistake at: o1 = x1 * cos - x0 * sin
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(
    X, COS, SIN, OUT, stride_xn, stride_cn, stride_sn, stride_on, n, HALF, BLOCK_N: tl.constexpr, BLOCK_H: tl.constexpr
):
    rn = tl.program_id(0).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    rh = tl.arange(0, BLOCK_H)
    mask = (rn[:, None] < n) & (rh[None, :] < HALF)
    x_ptrs = X + rn[:, None] * stride_xn + rh[None, :]
    x0 = tl.load(x_ptrs, mask=mask, other=0.0).to(tl.float32)
    x1 = tl.load(x_ptrs + HALF, mask=mask, other=0.0).to(tl.float32)
    cos = tl.load(COS + rn[:, None] * stride_cn + rh[None, :], mask=mask, other=1.0).to(tl.float32)
    sin = tl.load(SIN + rn[:, None] * stride_sn + rh[None, :], mask=mask, other=0.0).to(tl.float32)
    o_ptrs = OUT + rn[:, None] * stride_on + rh[None, :]
    o0 = x0 * cos - x1 * sin
    o1 = x1 * cos - x0 * sin
    tl.store(o_ptrs, o0, mask=mask)
    tl.store(o_ptrs + HALF, o1, mask=mask)


def rotary(x, cos, sin):
    n, d = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    BLOCK_N, BLOCK_H = 16, triton.next_power_of_2(d // 2)
    grid = (triton.cdiv(n, BLOCK_N),)
    rotary_kernel[grid](
        x,
        cos,
        sin,
        out,
        x.stride(0),
        cos.stride(0),
        sin.stride(0),
        out.stride(0),
        n,
        d // 2,
        BLOCK_N=BLOCK_N,
        BLOCK_H=BLOCK_H,
    )
    return out
