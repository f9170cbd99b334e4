"""The sums of the lanes are kept in the dtype of x."""

import torch
import triton
import triton.language as tl

LANES = 64


@triton.jit
def column_walk(inp, outp, inp_step, outp_step, n, LANES: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    inp += row * inp_step
    outp += row * outp_step
    lane = tl.arange(0, LANES)

    best = tl.full((LANES,), float("-inf"), tl.float32)
    for k in range(0, n, LANES):
        v = tl.load(inp + k + lane, mask=k + lane < n, other=float("-inf"))
        best = tl.maximum(best, v.to(tl.float32))
    top = tl.max(best, axis=0)

    acc = tl.zeros((LANES,), inp.dtype.element_ty)
    for k in range(0, n, LANES):
        v = tl.load(inp + k + lane, mask=k + lane < n, other=float("-inf"))
        acc += tl.exp(v.to(tl.float32) - top).to(acc.dtype)
    total = tl.sum(acc, axis=0)

    for k in range(0, n, LANES):
        v = tl.load(inp + k + lane, mask=k + lane < n, other=float("-inf"))
        e = tl.exp(v.to(tl.float32) - top)
        tl.store(outp + k + lane, e / total, mask=k + lane < n)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    m, n = x.shape
    if y.numel() != 0:
        lanes = min(LANES, triton.next_power_of_2(n))
        column_walk[(m,)](x, y, x.stride(0), y.stride(0), n, LANES=lanes, num_warps=1)
    return y
