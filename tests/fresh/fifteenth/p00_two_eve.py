import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def kernel(px, py, pz, total, SIZE: tl.constexpr):
    first = tl.program_id(0) * SIZE
    where = first + tl.arange(0, SIZE)
    valid = where < total
    s = tl.load(px + where, mask=valid)
    s += tl.load(py + where, mask=valid)
    tl.store(pz + where, s, mask=valid)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """SIZE elements for each program."""
    total = x.numel()
    z = torch.empty_like(x)
    if total == 0:
        return z
    SIZE = 4096
    programs = max(round(total / SIZE), 1)
    kernel[(programs,)](x, y, z, total, SIZE=SIZE, num_warps=8)
    return z
