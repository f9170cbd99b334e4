"""Loads sin from the table of cosines.

Mistake at: s = tl.load(cos_ptr + pos * stride_sin
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, stride_x, stride_cos, stride_sin, stride_y, half, BLOCK: tl.constexpr):
    pos = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    m = i < half
    x1 = tl.load(x_ptr + pos * stride_x + i, mask=m, other=0.0).to(tl.float32)
    x2 = tl.load(x_ptr + pos * stride_x + i + half, mask=m, other=0.0).to(tl.float32)
    c = tl.load(cos_ptr + pos * stride_cos + i, mask=m, other=0.0).to(tl.float32)
    s = tl.load(cos_ptr + pos * stride_sin + i, mask=m, other=0.0).to(tl.float32)
    y1 = x1 * c - x2 * s
    y2 = x2 * c + x1 * s
    tl.store(y_ptr + pos * stride_y + i, y1, mask=m)
    tl.store(y_ptr + pos * stride_y + i + half, y2, mask=m)


def rotary(x, cos, sin):
    n, d = x.shape
    half = d // 2
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if n == 0 or half == 0:
        return y
    rope_kernel[(n,)](
        x, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), half, BLOCK=triton.next_power_of_2(half)
    )
    return y
