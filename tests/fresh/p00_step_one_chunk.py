"""The step of the loop is one chunk, not one chunk for each program: every program also does what the later ones do.

Mistake at: for begin in range(me * CHUNK, size, CHUNK):
"""

import torch
import triton
import triton.language as tl


@triton.jit
def vec_add(p, q, r, size, CHUNK: tl.constexpr):
    me = tl.program_id(0).to(tl.int64)
    everyone = tl.num_programs(0)
    lanes = tl.arange(0, CHUNK)
    for begin in range(me * CHUNK, size, CHUNK):
        where = begin + lanes
        u = tl.load(p + where, where < size)
        v = tl.load(q + where, where < size)
        tl.store(r + where, u + v, where < size)


def add(x, y):
    z = torch.empty_like(x)
    if x.numel() == 0:
        return z
    CHUNK = 256
    programs = min(triton.cdiv(x.numel(), CHUNK), 64)
    vec_add[(programs,)](x, y, z, x.numel(), CHUNK=CHUNK)
    return z
