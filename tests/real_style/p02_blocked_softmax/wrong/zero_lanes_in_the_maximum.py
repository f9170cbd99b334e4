"""Updates the lane maxima without the select, so that lanes past the end bring the zeros they were loaded with.

Code: max-starts-at-zero
Mistake at: _tmp2 = tmp3
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def maximum(a, b):
    keep = a > b
    keep |= a != a
    return tl.where(keep, a, b)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def triton_red_fused_softmax(
    in_ptr0, out_ptr2, ks0, ks1, xnumel, r0_numel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr
):
    xoffset = tl.program_id(0).to(tl.int64) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + ks0 * x0), r0_mask & xmask, eviction_policy="evict_last", other=0.0)
        tmp1 = tl.broadcast_to(tmp0.to(tl.float32), [XBLOCK, R0_BLOCK])
        tmp3 = maximum(_tmp2, tmp1)
        _tmp2 = tmp3
    tmp2 = max2(_tmp2, 1)[:, None]
    _tmp7 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp4 = tl.load(in_ptr0 + (r0_1 + ks0 * x0), r0_mask & xmask, eviction_policy="evict_last", other=0.0)
        tmp5 = libdevice.exp(tmp4.to(tl.float32) - tmp2)
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
        tmp8 = _tmp7 + tmp6
        _tmp7 = tl.where(r0_mask & xmask, tmp8, _tmp7)
    tmp7 = tl.sum(_tmp7, 1)[:, None]
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp9 = tl.load(in_ptr0 + (r0_1 + ks0 * x0), r0_mask & xmask, eviction_policy="evict_first", other=0.0)
        tmp10 = libdevice.exp(tmp9.to(tl.float32) - tmp2)
        tmp11 = tmp10 / tmp7
        tl.store(out_ptr2 + (r0_1 + ks1 * x0), tmp11, r0_mask & xmask)


def call(args):
    (arg0_1,) = args
    args.clear()
    s0, s1 = arg0_1.size()
    buf2 = torch.empty_strided((s0, s1), (s1, 1), device=arg0_1.device, dtype=arg0_1.dtype)
    if s0 * s1 != 0:
        grid = lambda meta: (triton.cdiv(s0, meta["XBLOCK"]), 1, 1)  # noqa: E731
        meta = {"XBLOCK": 1, "R0_BLOCK": min(2048, triton.next_power_of_2(s1)), "num_warps": 16, "num_stages": 1}
        triton_red_fused_softmax[grid](arg0_1, buf2, arg0_1.stride(0), s1, s0, s1, **meta)
    return (buf2,)


def softmax(x):
    (out,) = call([x])
    return out
