"""Running sums of gates in chunks of 16 rows; a last chunk that has fewer reads and writes on.

Code: out-of-bounds-load, out-of-bounds-store
Mistake at: g = tl.load(g_ptr + offsets
Reported: thunlp/TritonBench#12 (decay_cumsum.py)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(g_ptr, out_ptr, T, D, BT: tl.constexpr, BLOCK: tl.constexpr):
    chunk, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    cols = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(BT):
        offsets = (head * T + chunk * BT + i) * D + cols
        g = tl.load(g_ptr + offsets, mask=cols < D, other=0.0).to(tl.float32)
        total += g * 1.44269504
        tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=cols < D)


def run(g):
    g = g.contiguous()
    heads, T, D = g.shape
    out = torch.empty_like(g)
    cumsum_kernel[(triton.cdiv(T, 16), heads, triton.cdiv(D, 32))](g, out, T, D, BT=16, BLOCK=32)
    return out


def reference(g):
    return torch.cat([part.cumsum(1) for part in g.split(16, dim=1)], dim=1) * 1.44269504


def cases():
    return [dict(g=torch.randn(2, 32, 40)), dict(g=torch.randn(2, 39, 40))]
