"""Keys of a cache in int8 with a scale for each token: the cast cuts towards 0 where it should round.

Code: wrong-values
Mistake at: quantised = x / scale
Reported: vllm-project/vllm#45361
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cache_kernel(x_ptr, slot_ptr, cache_ptr, s_ptr, n_cols, x_row_stride, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slot_ptr + token).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + token * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-8) / 127.0
    quantised = x / scale
    quantised = tl.minimum(tl.maximum(quantised, -128.0), 127.0)
    tl.store(cache_ptr + slot * n_cols + cols, quantised.to(tl.int8), mask=mask)
    tl.store(s_ptr + slot, scale)


def run(x, slots, cache, scales):
    cache_kernel[(x.shape[0],)](
        x, slots, cache, scales, x.shape[1], x.stride(0), BLOCK=triton.next_power_of_2(x.shape[1])
    )
    return cache, scales


def reference(x, slots, cache, scales):
    largest = x.abs().amax(dim=1).clamp(min=1e-8) / 127
    cache[slots.long()] = torch.floor(x / largest[:, None] + 0.5).clamp(-128, 127).to(torch.int8)
    scales[slots.long()] = largest
    return cache, scales


def cases():
    cache, scales = torch.zeros(12, 48, dtype=torch.int8), torch.zeros(12)
    return [dict(x=torch.randn(5, 48), slots=torch.randperm(12)[:5].to(torch.int32), cache=cache, scales=scales)]


OPTIONS = dict(mutates=("cache", "scales"), vary=False)
