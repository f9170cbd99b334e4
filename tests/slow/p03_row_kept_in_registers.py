"""Online softmax; up to 16 tiles of a row wait in the registers of four warps for the second pass.

Cause: spills
Line: num_warps=4
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr, KEPT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK)
    m = -3.4028234663852886e38
    l = 0.0
    kept = ()
    for i in tl.static_range(KEPT):
        x = tl.load(x_ptr + i * BLOCK + lanes, mask=i * BLOCK + lanes < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
        kept += (x,)
    for start in range(KEPT * BLOCK, n_cols, BLOCK):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    for i in tl.static_range(KEPT):
        tl.store(y_ptr + i * BLOCK + lanes, tl.exp(kept[i] - m) / l, mask=i * BLOCK + lanes < n_cols)
    for start in range(KEPT * BLOCK, n_cols, BLOCK):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + start + lanes, tl.exp(x - m) / l, mask=start + lanes < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK = min(triton.next_power_of_2(n_cols), 4096)
    KEPT = min(triton.cdiv(n_cols, BLOCK), 16)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK=BLOCK, KEPT=KEPT, num_warps=4)
    return y
