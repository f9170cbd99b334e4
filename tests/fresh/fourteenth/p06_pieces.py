"""Persistent softmax: short rows in one tile, long ones in pieces and two passes."""

import torch
import triton
import triton.language as tl

LONGEST = 32768
PIECE = 8192


@triton.jit
def short_row(src, dst, n, W: tl.constexpr):
    at = tl.arange(0, W)
    ok = at < n
    x = tl.load(src + at, mask=ok, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(dst + at, e / tl.sum(e, axis=0), mask=ok)


@triton.jit
def long_row(src, dst, n, W: tl.constexpr):
    at = tl.arange(0, W)
    # a maximum and a sum for every lane, joined at the end
    high = tl.full((W,), -float("inf"), tl.float32)
    part = tl.zeros((W,), tl.float32)
    for begin in range(0, n, W):
        ok = begin + at < n
        x = tl.load(src + begin + at, mask=ok, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(high, x)
        part = part * tl.exp(high - higher) + tl.exp(x - higher)
        high = higher
    top = tl.max(high, axis=0)
    total = tl.sum(part * tl.exp(high - top), axis=0)

    for begin in range(0, n, W):
        ok = begin + at < n
        x = tl.load(src + begin + at, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(dst + begin + at, tl.exp(x - top) / total, mask=ok)


@triton.jit
def rows_kernel(src, dst, src_pitch, dst_pitch, n_rows, n, W: tl.constexpr, SHORT: tl.constexpr):
    for r in range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
        if SHORT:
            short_row(src + r * src_pitch, dst + r * dst_pitch, n, W)
        else:
            long_row(src + r * src_pitch, dst + r * dst_pitch, n, W)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    short = n <= LONGEST
    w = triton.next_power_of_2(n) if short else PIECE
    warps = min(max(w // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, sms * (32 // warps)),)
    rows_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n, W=w, SHORT=short, num_warps=warps)
    return y
