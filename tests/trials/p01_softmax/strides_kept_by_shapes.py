"""The plan holds a stride, and its key only shape and dtype."""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass(frozen=True)
class Plan:
    grid: tuple
    steps: tuple
    tile: int
    warps: int


_plans: dict = {}


def plan_for(x: torch.Tensor) -> Plan:
    key = (x.shape, x.dtype)
    if key not in _plans:
        m, n = x.shape
        tile = triton.next_power_of_2(n)
        _plans[key] = Plan(grid=(m,), steps=(x.stride(0), n), tile=tile, warps=min(max(tile // 1024, 1), 16))
    return _plans[key]


@triton.jit
def kernel(src, dst, src_step, dst_step, n, TILE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, TILE)
    v = tl.load(src + i * src_step + j, mask=j < n, other=-float("inf")).to(tl.float32)
    v -= tl.max(v, axis=0)
    e = tl.exp(v)
    e /= tl.sum(e, axis=0)
    tl.store(dst + i * dst_step + j, e, mask=j < n)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    plan = plan_for(x)
    kernel[plan.grid](x, out, *plan.steps, x.shape[1], TILE=plan.tile, num_warps=plan.warps)
    return out
