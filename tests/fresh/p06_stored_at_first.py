"""Every row of a program is stored to its first.

Mistake at: tl.store(dst + me * s_out + j,
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
    height,
    width,
    TILE: tl.constexpr,
):
    me = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, TILE)
    ok = j < width

    for r in range(me, height, tl.num_programs(0)):
        x = tl.load(src + r * s_in + j, mask=ok, other=-float("inf"))
        x = x.to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        y = e / tl.sum(e, axis=0)
        tl.store(dst + me * s_out + j, y, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    height, width = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    TILE = triton.next_power_of_2(width)
    num_warps = min(max(TILE // 256, 2), 32)

    per_multiprocessor = 32 // num_warps
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(height, multiprocessors * per_multiprocessor),)

    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](x, y, *strides, height, width, TILE=TILE, num_warps=num_warps)
    return y
