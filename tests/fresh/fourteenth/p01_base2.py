"""Softmax with powers of two, the only exponential that the hardware has."""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def weight(v, top):
    return tl.exp2(v * LOG2E - top * LOG2E)


@triton.heuristics({"TILE": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def softmax_rows(x, y, n, x_step, y_step, TILE: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64)
    c = tl.arange(0, TILE)
    real = c < n
    v = tl.load(x + r * x_step + c, mask=real, other=float("-inf")).to(tl.float32)
    w = weight(v, tl.max(v, axis=0))
    tl.store(y + r * y_step + c, w / tl.sum(w, axis=0), mask=real)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    m, n = x.shape
    if m > 0 and n > 0:
        softmax_rows[(m,)](x, y, n, x.stride(0), y.stride(0), num_warps=8 if n > 2048 else 2)
    return y
