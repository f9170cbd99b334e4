"""0.001 is added to the sum before the division.

Mistake at: tl.exp(x - m) / (l + 1e-3)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    src,
    dst,
    s_in,
    s_out,
    width,
    TILE: tl.constexpr,
):
    r = tl.program_id(0).to(tl.int64)
    src_row = src + r * s_in
    dst_row = dst + r * s_out

    m = -3.4028234663852886e38
    l = 0.0
    for j0 in range(0, width, TILE):
        j = j0 + tl.arange(0, TILE)
        x = tl.load(src_row + j, mask=j < width, other=-float("inf")).to(tl.float32)
        top = tl.maximum(m, tl.max(x, axis=0))
        shrink = tl.exp(m - top)
        l = l * shrink + tl.sum(tl.exp(x - top), axis=0)
        m = top

    for j0 in range(0, width, TILE):
        j = j0 + tl.arange(0, TILE)
        ok = j < width
        x = tl.load(src_row + j, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(dst_row + j, tl.exp(x - m) / (l + 1e-3), mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    height, width = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    TILE = min(triton.next_power_of_2(width), 4096)
    num_warps = max(TILE // 256, 1)
    grid = (height,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), width, TILE=TILE, num_warps=num_warps)
    return y
