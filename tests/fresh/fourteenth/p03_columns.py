"""Online softmax, one (maximum, sum) pair per lane, merged at the end of the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def merge(m, s):
    top = tl.max(m, axis=0)
    return top, tl.sum(s, axis=0)


@triton.jit
def lanes_kernel(src, dst, src_ld, dst_ld, n, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    src_row = src + row * src_ld
    dst_row = dst + row * dst_ld

    m = tl.full((TILE,), -3.4028234663852886e38, tl.float32)
    s = tl.zeros((TILE,), tl.float32)
    col = tl.arange(0, TILE)
    for _ in range(tl.cdiv(n, TILE)):
        v = tl.load(src_row + col, mask=col < n, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(m, v)
        s = s * tl.exp(m - higher) + tl.exp(v - higher)
        m = higher
        col += TILE

    top, total = merge(m, s)

    col = tl.arange(0, TILE)
    for _ in range(tl.cdiv(n, TILE)):
        v = tl.load(src_row + col, mask=col < n, other=float("-inf")).to(tl.float32)
        tl.store(dst_row + col, tl.exp(v - top) / total, mask=col < n)
        col += TILE


def softmax(x: torch.Tensor) -> torch.Tensor:
    dst = torch.empty_like(x)
    rows, n = x.shape
    if rows == 0 or n == 0:
        return dst
    tile = min(triton.next_power_of_2(n), 1024)
    lanes_kernel[(rows,)](x, dst, x.stride(0), dst.stride(0), n, TILE=tile, num_warps=max(1, tile // 256))
    return dst
