"""Vector add, the vector seen as sheets of H lines with W elements each."""

import torch
import triton
import triton.language as tl


@triton.jit
def sheet_add(x, y, z, n, H: tl.constexpr, W: tl.constexpr):
    sheet = tl.program_id(0).to(tl.int64)
    line = tl.arange(0, H)[:, None]
    col = tl.arange(0, W)[None, :]
    flat = sheet * (H * W) + line * H + col
    ok = flat < n
    total = tl.load(x + flat, mask=ok) + tl.load(y + flat, mask=ok)
    tl.store(z + flat, total, mask=ok)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    n = x.numel()
    if n:
        shape = dict(H=8, W=256)
        sheets = triton.cdiv(n, shape["H"] * shape["W"])
        sheet_add[(sheets,)](x, y, z, n, **shape, num_warps=8)
    return z
