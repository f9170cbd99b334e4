"""Promises the compiler that rows lie a multiple of 16 elements apart, which only padded rows do.

Code: promise-broken
Device: cpu
"""

from __future__ import annotations

import functools

import torch
import triton
import triton.language as tl
from triton.runtime import driver


@functools.lru_cache(maxsize=None)
def _device_limits(index: int) -> tuple[int, int]:
    found = driver.active.utils.get_device_properties(index)
    return found["multiprocessor_count"], found["max_shared_mem"]


@triton.jit
def _persistent_softmax(
    dst,
    src,
    dst_stride,
    src_stride,
    n_rows,
    n_cols,
    BLOCK: tl.constexpr,
    STAGES: tl.constexpr,
):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    src_stride = tl.multiple_of(src_stride, 16)
    lanes = tl.arange(0, BLOCK)
    inside = lanes < n_cols
    for row in tl.range(first, n_rows, step, num_stages=STAGES):
        wide = row.to(tl.int64)
        logits = tl.load(src + wide * src_stride + lanes, mask=inside, other=-float("inf")).to(tl.float32)
        weights = tl.exp(logits - tl.max(logits, axis=0))
        probs = weights / tl.sum(weights, axis=0)
        tl.store(dst + wide * dst_stride + lanes, probs.to(dst.dtype.element_ty), mask=inside)


def _programs(n_rows: int, row_bytes: int, device: torch.device) -> tuple[int, int]:
    """Return how many programs to start, and how deep their pipelines are."""
    index = device.index if device.index is not None else 0
    sms, shared = _device_limits(index)
    stages = 4 if shared > 200_000 else 2
    per_sm = max(1, min(8, shared // max(row_bytes * stages, 1)))
    return min(n_rows, sms * per_sm), stages


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    block = triton.next_power_of_2(n_cols)
    programs, stages = _programs(n_rows, block * x.element_size(), x.device)
    warps = 4 if block < 2048 else 8 if block < 8192 else 16
    _persistent_softmax[(programs, 1, 1)](
        out, x, out.stride(0), x.stride(0), n_rows, n_cols, BLOCK=block, STAGES=stages, num_warps=warps
    )
    return out
