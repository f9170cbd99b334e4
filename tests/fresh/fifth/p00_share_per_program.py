"""The mask stops at the end of the program's own share and never looks at n_elements."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_share(a, b, out, n, share, STEP: tl.constexpr):
    # every program walks over its own share in steps, a bit like threads with a private chunk
    begin = tl.program_id(0).to(tl.int64) * share
    end = begin + share
    lane = tl.arange(0, STEP)
    i = begin
    while i < end:
        idx = i + lane
        ok = idx < end
        s = tl.load(a + idx, mask=ok) + tl.load(b + idx, mask=ok)
        tl.store(out + idx, s, mask=ok)
        i += STEP


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n = x.numel()
    z = torch.empty_like(x)
    if n == 0:
        return z
    programs = min(triton.cdiv(n, 512), 128)
    share = triton.cdiv(n, programs)
    add_share[(programs,)](x, y, z, n, share, STEP=512)
    return z
