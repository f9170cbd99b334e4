"""Computes in inline assembly of two instructions, which no interpreter follows.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def assembly_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    scaled = (x - tl.max(x, axis=0)) * 1.4426950408889634
    numerator = tl.inline_asm_elementwise(
        "ex2.approx.f32 $0, $1; mul.f32 $0, $0, 0f3F800000;", "=f,f", [scaled], tl.float32, True, 1
    )
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        assembly_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
