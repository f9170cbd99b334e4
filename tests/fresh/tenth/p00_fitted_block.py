"""Vector add with a block that shrinks for short vectors."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def add_kernel(a, b, out, count, W: tl.constexpr):
    i = tl.program_id(axis=0).to(tl.int64) * W + tl.arange(0, W)
    m = i < count
    s = tl.load(a + i, mask=m, other=0.0) + tl.load(b + i, mask=m, other=0.0)
    tl.store(out + i, s, mask=m)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    z = torch.empty_like(x)
    # no lane is wasted on a vector shorter than 1,024
    width = min(triton.next_power_of_2(n), 1024)
    programs = triton.cdiv(n, width)
    if programs == 0:
        return z
    add_kernel[(programs,)](x, y, z, n, W=width, num_warps=4)
    return z
