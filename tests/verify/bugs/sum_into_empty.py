"""A sum of partial sums by atomics, into a cell that nothing has set to 0.

Code: uninitialised-read
Mistake at: tl.atomic_add(y_ptr, tl.sum(x, axis=0))
Reported: ByteDance-Seed/Triton-distributed#184
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, y_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n_elements, other=0.0).to(tl.float32)
    tl.atomic_add(y_ptr, tl.sum(x, axis=0))


def run(x):
    x = x.contiguous()
    y = torch.empty((1,), dtype=torch.float32, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y


def reference(x):
    return (x if x.dtype == torch.float64 else x.float()).sum().reshape(1)


def cases():
    return [dict(x=torch.randn(1000))]


OPTIONS = dict(host="eager")
