"""Vector add with a crew of fixed size: every worker owns one contiguous span of the vectors."""

import torch
import triton
import triton.language as tl

WORKERS = 96


@triton.jit
def span_add(a, b, out, total, span, TILE: tl.constexpr):
    lo = tl.program_id(0).to(tl.int64) * span
    hi = tl.minimum(lo + span, total)
    at = lo
    while at < hi:
        idx = at + tl.arange(0, TILE)
        live = idx < total
        left = tl.load(a + idx, mask=live)
        right = tl.load(b + idx, mask=live)
        tl.store(out + idx, left + right, mask=live)
        at += TILE


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x.numel()
    out = torch.empty_like(x)
    if total == 0:
        return out
    span = triton.cdiv(total, WORKERS)
    tile = min(triton.next_power_of_2(span), 2048)
    span_add[(triton.cdiv(total, span),)](x, y, out, total, span, TILE=tile, num_warps=4)
    return out
