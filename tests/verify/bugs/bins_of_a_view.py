"""Values added to their bins; the bins are every second element of a buffer, and are as many as they are taken to be
only where the values are no more.

Code: out-of-bounds-load
Mistake at: b = tl.load(bin_ptr
Reported: triton-lang/triton#10336
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_bins_kernel(value_ptr, bin_ptr, out_ptr, n_values, n_bins, value_stride, bin_stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_values
    v = tl.load(value_ptr + offsets * value_stride, mask=mask, other=0)
    b = tl.load(bin_ptr + offsets * bin_stride, mask=mask, other=-1)
    tl.store(out_ptr + offsets, v + b, mask=mask)


def run(values, bins):
    out = torch.empty_like(values)
    add_bins_kernel[(triton.cdiv(len(values), 32),)](
        values, bins, out, len(values), len(bins), values.stride(0), bins.stride(0), BLOCK=32
    )
    return out


def reference(values, bins):
    padded = torch.cat([bins, torch.full((max(len(values) - len(bins), 0),), -1, dtype=bins.dtype)])
    return values + padded[: len(values)]


def cases():
    values = torch.arange(40, dtype=torch.int32)
    return [dict(values=values, bins=torch.arange(61, dtype=torch.int32)[::2])]


OPTIONS = dict(vary=False)
