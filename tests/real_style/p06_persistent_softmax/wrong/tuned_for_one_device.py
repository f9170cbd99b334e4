"""Has the number of programs that was best on the machine where it was tuned.

Code: more-programs-than-fit
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _softmax_persistent(
    out_ptr,
    in_ptr,
    out_stride,
    in_stride,
    n_rows,
    n_cols,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    start = tl.program_id(0)
    step = tl.num_programs(0)
    lanes = tl.arange(0, BLOCK)
    valid = lanes < n_cols
    for row in tl.range(start, n_rows, step, num_stages=STAGES):
        offset = row.to(tl.int64)
        logits = tl.load(in_ptr + offset * in_stride + lanes, mask=valid, other=-float("inf")).to(tl.float32)
        weights = tl.exp(logits - tl.max(logits, axis=0))
        probs = weights / tl.sum(weights, axis=0)
        tl.store(out_ptr + offset * out_stride + lanes, probs.to(out_ptr.dtype.element_ty), mask=valid)


def _warps(block: int) -> int:
    return min(max(triton.cdiv(block, 256), 2), 32)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    block = triton.next_power_of_2(n_cols)
    warps = _warps(block)
    programs = min(n_rows, 132 * (32 // warps))
    _softmax_persistent[(programs,)](
        out, x, out.stride(0), x.stride(0), n_rows, n_cols, BLOCK=block, STAGES=1, num_warps=warps
    )
    return out
