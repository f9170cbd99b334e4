"""A gate of each token's features: token times width has 32 bits.

Code: int32-overflow
Mistake at: offsets = tokens[:, None] * D
Reported: fla-org/flash-linear-attention#1080
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gate_kernel(x_ptr, g_ptr, y_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr):
    tokens = tl.program_id(0) * BT + tl.arange(0, BT)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    mask = (tokens < T)[:, None] & (d < D)[None, :]
    offsets = tokens[:, None] * D + d[None, :]
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + offsets, (x * tl.sigmoid(g)).to(y_ptr.dtype.element_ty), mask=mask)


def run(x, g):
    x, g = x.contiguous(), g.contiguous()
    T, D = x.shape
    y = torch.empty_like(x)
    gate_kernel[(triton.cdiv(T, 16), triton.cdiv(D, 64))](x, g, y, T, D, BT=16, BD=64)
    return y


def reference(x, g):
    return x * torch.sigmoid(g)


def cases():
    return [dict(x=torch.randn(37, 100), g=torch.randn(37, 100))]
