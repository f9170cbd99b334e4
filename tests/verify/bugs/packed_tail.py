"""Gradients of packed sequences: rows after the last sequence get no program, and the gradient's memory is not set.

Code: unwritten-elements, wrong-values
Mistake at: torch.empty_like(dy)
Reported: fla-org/flash-linear-attention#892
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sequence_kernel(dy_ptr, scale_ptr, end_ptr, dx_ptr, D, BT: tl.constexpr, BD: tl.constexpr):
    sequence = tl.program_id(0)
    start, end = tl.load(end_ptr + sequence), tl.load(end_ptr + sequence + 1)
    d = tl.arange(0, BD)
    scale = tl.load(scale_ptr + sequence)
    for first in range(start, end, BT):
        rows = (first + tl.arange(0, BT)).to(tl.int64)
        mask = (rows < end)[:, None] & (d < D)[None, :]
        dy = tl.load(dy_ptr + rows[:, None] * D + d[None, :], mask=mask, other=0.0)
        tl.store(dx_ptr + rows[:, None] * D + d[None, :], dy * scale, mask=mask)


def run(dy, scales, ends):
    dx = torch.empty_like(dy)
    D = dy.shape[1]
    sequence_kernel[(len(ends) - 1,)](dy, scales, ends, dx, D, BT=16, BD=triton.next_power_of_2(D))
    return dx


def reference(dy, scales, ends):
    dx = torch.zeros_like(dy)
    for i, scale in enumerate(scales):
        dx[ends[i] : ends[i + 1]] = dy[ends[i] : ends[i + 1]] * scale
    return dx


def cases():
    ends = torch.tensor([0, 20, 33], dtype=torch.int32)
    return [dict(dy=torch.randn(40, 24), scales=torch.randn(2), ends=ends)]


OPTIONS = dict(vary=False, host="eager")
