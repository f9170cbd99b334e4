"""The loop ends one row early: the last row is not written.

Mistake at: for i in range(me, H - 1, step):
"""

import torch
import triton
import triton.language as tl


@triton.jit
def persistent(X, Y, sx, sy, H, W, TILE: tl.constexpr):
    me = tl.program_id(0).to(tl.int64)
    step = tl.num_programs(0)
    j = tl.arange(0, TILE)
    live = j < W
    for i in range(me, H - 1, step):
        src = X + i * sx
        dst = Y + i * sy
        v = tl.load(src + j, mask=live, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, 0))
        s = tl.sum(e, 0)
        tl.store(dst + j, e / s, mask=live)


def softmax(x):
    H, W = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    TILE = triton.next_power_of_2(W)
    warps = min(max(TILE // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    programs = min(H, sms * (32 // warps))
    persistent[(programs,)](x, y, x.stride(0), y.stride(0), H, W, TILE, num_warps=warps)
    return y
