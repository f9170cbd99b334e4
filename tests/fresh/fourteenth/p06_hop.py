"""Persistent softmax with row pointers that move."""

import torch
import triton
import triton.language as tl


@triton.jit
def hopping_softmax(a_ptr, b_ptr, a_pitch, b_pitch, n_rows, n_cols, LANES: tl.constexpr):
    start = tl.program_id(0).to(tl.int64)
    hop = tl.num_programs(0)
    lane = tl.arange(0, LANES)
    keep = lane < n_cols
    a_row = a_ptr + start * a_pitch + lane
    b_row = b_ptr + start * b_pitch + lane
    for _ in range(start, n_rows, hop):
        t = tl.load(a_row, mask=keep, other=-float("inf")).to(tl.float32)
        t -= tl.max(t, axis=0)
        t = tl.exp(t)
        tl.store(b_row, t / tl.sum(t, axis=0), mask=keep)
        a_row += hop * a_pitch
        b_row += hop * b_pitch


def how_many(x: torch.Tensor, num_warps: int) -> int:
    per_sm = 32 // num_warps
    return min(x.shape[0], per_sm * torch.cuda.get_device_properties(x.device).multi_processor_count)


def softmax(x: torch.Tensor) -> torch.Tensor:
    b = torch.empty_like(x)
    if b.numel() == 0:
        return b
    n_rows, n_cols = x.shape
    lanes = triton.next_power_of_2(n_cols)
    num_warps = lanes // 256
    num_warps = 2 if num_warps < 2 else 32 if num_warps > 32 else num_warps
    hopping_softmax[(how_many(x, num_warps),)](
        x, b, x.stride(0), b.stride(0), n_rows, n_cols, LANES=lanes, num_warps=num_warps
    )
    return b
