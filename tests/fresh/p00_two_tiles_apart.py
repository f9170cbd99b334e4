"""A program takes two tiles, and begins one tile after the one before: * 2 is missing, so tiles overlap and the last ones are not written.

Mistake at: idx = (pid + half) * TILE
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
    for half in range(2):
        idx = (pid + half) * TILE + tl.arange(0, TILE)
        ok = idx < size
        x = tl.load(left + idx, mask=ok)
        y = tl.load(right + idx, mask=ok)
        tl.store(out + idx, x + y, mask=ok)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    size = x.numel()
    z = torch.empty_like(x)
    if size == 0:
        return z
    TILE = 1024
    grid = (triton.cdiv(size, 2 * TILE),)
    add_kernel[grid](x, y, z, size, TILE=TILE)
    return z
