"""The mask of y ends one tile early: to the last elements 0 is added.

Mistake at: y = tl.load(right + idx, mask=idx < size - TILE, other=0.0)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(
    left,
    right,
    out,
    size,
    TILE: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    idx = pid * TILE + tl.arange(0, TILE)
    ok = idx < size

    x = tl.load(left + idx, mask=ok)
    y = tl.load(right + idx, mask=idx < size - TILE, other=0.0)
    tl.store(out + idx, x + y, mask=ok)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    size = x.numel()
    z = torch.empty_like(x)
    if size == 0:
        return z
    TILE = 1024
    grid = (triton.cdiv(size, TILE),)
    add_kernel[grid](x, y, z, size, TILE=TILE)
    return z
