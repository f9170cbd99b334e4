"""Vector add on a two-dimensional grid: groups of FOLD neighbouring blocks."""

import torch
import triton
import triton.language as tl

FOLD = 8
BLOCK = 1024


@triton.jit
def block_number():
    group = tl.program_id(0).to(tl.int64)
    member = tl.program_id(1)
    return group * tl.num_programs(0) + member


@triton.jit
def add_blocks(a_ptr, b_ptr, c_ptr, size, BLOCK: tl.constexpr):
    where = block_number() * BLOCK + tl.arange(0, BLOCK)
    exists = where < size
    a = tl.load(a_ptr + where, mask=exists, other=0.0)
    b = tl.load(b_ptr + where, mask=exists, other=0.0)
    tl.store(c_ptr + where, a + b, mask=exists)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    c = torch.empty_like(x)
    size = c.numel()
    if size == 0:
        return c
    blocks = triton.cdiv(size, BLOCK)
    grid = (triton.cdiv(blocks, FOLD), min(blocks, FOLD))
    add_blocks[grid](x, y, c, size, BLOCK=BLOCK)
    return c
