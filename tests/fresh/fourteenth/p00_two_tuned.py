"""Vector add behind an autotuner."""

import torch
import triton
import triton.language as tl

CONFIGS = [triton.Config({"SIZE": 4096}, num_warps=8)]


@triton.autotune(configs=CONFIGS, key=["count"])
@triton.jit
def sum_kernel(lhs, rhs, res, count, SIZE: tl.constexpr):
    begin = (tl.program_id(0) * SIZE).to(tl.int64)
    spots = begin + tl.arange(0, SIZE)
    valid = spots < count
    acc = tl.load(lhs + spots, mask=valid, other=0)
    acc += tl.load(rhs + spots, mask=valid, other=0)
    tl.store(res + spots, acc, mask=valid)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    count = x.numel()
    res = torch.empty(x.shape, device=x.device)
    if count > 0:
        sum_kernel[lambda meta: (triton.cdiv(count, meta["SIZE"]),)](x, y, res, count)
    return res
