"""Divides by sums of more than 35,000 times 2^111: div.approx.f32 is 0 for divisors above 2^126.

Must: fail wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    l = tl.zeros_like(x) + tl.sum(numerator, axis=0) * 2.0**110 * 1.86
    y = tl.inline_asm_elementwise(
        "div.approx.f32 $0, $1, $2;", "=f,f,f", [numerator * 2.0**100, l], tl.float32, True, 1
    )
    tl.store(y_ptr + row * y_row_stride + cols, y * 2.0**10 * 1.86, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
