"""exp2 in place of exp, without the factor log2(e).

Mistake at: return tl.exp2(t - tl.max(t, axis=0))
"""

import torch
import triton
import triton.language as tl


@triton.jit
def shifted_exp(t):
    return tl.exp2(t - tl.max(t, axis=0))


@triton.jit
def kern(src_ptr, dst_ptr, src_stride, dst_stride, width, TILE: tl.constexpr):
    line = tl.program_id(0)
    line = line.to(tl.int64)
    col = tl.arange(0, TILE)
    src = src_ptr + line * src_stride + col
    dst = dst_ptr + line * dst_stride + col
    row = tl.load(src, mask=col < width, other=-float("inf"))
    weights = shifted_exp(row.to(tl.float32))
    denominator = tl.sum(weights, axis=0)
    result = weights * (1.0 / denominator)
    tl.store(dst, result, mask=col < width)


def softmax(x):
    rows, cols = x.shape
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    if rows == 0 or cols == 0:
        return out
    TILE = triton.next_power_of_2(cols)
    kern[(rows,)](x, out, x.stride(0), out.stride(0), cols, TILE=TILE)
    return out
