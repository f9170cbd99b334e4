"""The first row of a program is its number: * R is missing, so programs overlap and later rows are not written.

Mistake at: row = block + tl.arange(0, R)[:, None]
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tiled(src, dst, src_stride, dst_stride, height, width, R: tl.constexpr, C: tl.constexpr):
    block = tl.program_id(0).to(tl.int64)
    row = block + tl.arange(0, R)[:, None]
    src_rows = src + row * src_stride
    dst_rows = dst + row * dst_stride
    m = tl.full((R, 1), -3.4028234663852886e38, tl.float32)
    l = tl.full((R, 1), 0.0, tl.float32)
    for k in range(tl.cdiv(width, C)):
        col = k * C + tl.arange(0, C)[None, :]
        valid = (row < height) & (col < width)
        x = tl.load(src_rows + col, mask=valid, other=-float("inf")).to(tl.float32)
        m_next = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
        l *= tl.exp(m - m_next)
        l += tl.sum(tl.exp(x - m_next), axis=1, keep_dims=True)
        m = m_next
    for k in range(tl.cdiv(width, C)):
        col = k * C + tl.arange(0, C)[None, :]
        valid = (row < height) & (col < width)
        x = tl.load(src_rows + col, mask=valid, other=-float("inf")).to(tl.float32)
        tl.store(dst_rows + col, tl.exp(x - m) / l, mask=valid)


def softmax(x):
    height, width = x.shape
    y = torch.empty_like(x)
    if height == 0 or width == 0:
        return y
    C = min(triton.next_power_of_2(width), 1024)
    R = 4 if C == 1024 else 8
    if C <= 128:
        R = 32
    blocks = (height + R - 1) // R
    tiled[(blocks,)](x, y, x.stride(0), y.stride(0), height, width, R=R, C=C, num_warps=4)
    return y
