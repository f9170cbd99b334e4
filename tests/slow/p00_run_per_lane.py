"""Vector add; every lane adds a run of 16 neighbouring elements, as a thread of a CPU would.

Cause: strided-loads
Line: offsets = first + lanes * RUN + i
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, LANES: tl.constexpr, RUN: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * LANES * RUN
    lanes = tl.arange(0, LANES)
    for i in tl.static_range(RUN):
        offsets = first + lanes * RUN + i
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask)
        y = tl.load(y_ptr + offsets, mask=mask)
        tl.store(z_ptr + offsets, x + y, mask=mask)


def add(x, y):
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    LANES, RUN = 256, 16
    grid = (triton.cdiv(n_elements, LANES * RUN),)
    add_kernel[grid](x, y, z, n_elements, LANES=LANES, RUN=RUN, num_warps=8)
    return z
