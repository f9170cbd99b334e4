"""The output is allocated without a dtype, so fp16 inputs give an fp32 result."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}, num_warps=2), triton.Config({"BLOCK": 2048}, num_warps=8)],
    key=["count"],
)
@triton.jit
def vadd(out, lhs, rhs, count, BLOCK: tl.constexpr):
    me = tl.program_id(0).to(tl.int64)
    for half in tl.static_range(2):
        j = me * BLOCK + half * (BLOCK // 2) + tl.arange(0, BLOCK // 2)
        a = tl.load(lhs + j, mask=j < count, other=0)
        b = tl.load(rhs + j, mask=j < count, other=0)
        tl.store(out + j, a + b, mask=j < count)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    count = x.numel()
    out = torch.empty(count, device=x.device)
    if count:
        vadd[lambda cfg: (triton.cdiv(count, cfg["BLOCK"]),)](out, x, y, count)
    return out
