"""The rest begins at the number of whole tiles, and the kernel counts elements."""

import torch
import triton
import triton.language as tl

BLOCK = 2048


@triton.jit
def add_whole(x, y, z, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def add_rest(x, y, z, begin, end, BLOCK: tl.constexpr):
    i = begin + tl.arange(0, BLOCK).to(tl.int64)
    m = i < end
    tl.store(z + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    z = torch.empty_like(x)
    whole, rest = divmod(n, BLOCK)
    if whole > 0:
        add_whole[(whole,)](x, y, z, BLOCK=BLOCK)
    if rest > 0:
        add_rest[(1,)](x, y, z, whole, n, BLOCK=BLOCK)
    return z
