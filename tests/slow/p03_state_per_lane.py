"""Online softmax; every lane of a tile of 4,096 has a maximum and a sum, and one warp holds them all.

Cause: spills
Line: num_warps=1
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK)

    # No reduction in the loop: the lanes are put together after the last tile.
    m = tl.full((BLOCK,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, x)
        l = l * tl.exp(m - m_new) + tl.exp(x - m_new)
        m = m_new
    row_m = tl.max(m, axis=0)
    row_l = tl.sum(l * tl.exp(m - row_m), axis=0)

    for start in range(0, n_cols, BLOCK):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + start + lanes, tl.exp(x - row_m) / row_l, mask=start + lanes < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK=BLOCK, num_warps=1)
    return y
