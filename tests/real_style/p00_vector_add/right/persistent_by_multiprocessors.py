"""Starts as many programs as the GPU holds, and lets each walk over the vector."""

import torch
import triton
import triton.language as tl

WAVES = 4


@triton.jit
def _add_persistent(X, Y, OUT, numel, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tiles = tl.cdiv(numel, BLOCK)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        idx = tl.cast(tile, tl.int64) * BLOCK + lanes
        keep = idx < numel
        out = tl.load(X + idx, mask=keep, eviction_policy="evict_first") + tl.load(Y + idx, mask=keep)
        tl.store(OUT + idx, out, mask=keep, cache_modifier=".cs")


def add(x, y):
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    processors = torch.cuda.get_device_properties(x.device).multi_processor_count
    programs = min(processors * WAVES, triton.cdiv(out.numel(), 2048))
    _add_persistent[(programs,)](x, y, out, out.numel(), BLOCK=2048, num_warps=8)
    return out
