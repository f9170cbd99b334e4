"""Lets the compiler assume that every row has a multiple of eight columns.

Code: promise-broken
Device: cpu
"""

import torch
import triton
import triton.language as tl


def _configs():
    return [triton.Config({}, num_warps=w, num_stages=s) for w in (1, 2, 4, 8, 16) for s in (1, 2)]


def _early_prune(configs, named_args, **kwargs):
    width = triton.next_power_of_2(named_args["n_cols"])
    kept = [c for c in configs if 1 <= width // (32 * c.num_warps) <= 64]
    return kept or configs[:1]


@triton.autotune(configs=_configs(), key=["n_cols"], prune_configs_by={"early_config_prune": _early_prune})
@triton.heuristics(
    {
        "BLOCK": lambda args: triton.next_power_of_2(args["n_cols"]),
        "EVEN": lambda args: args["n_cols"] == triton.next_power_of_2(args["n_cols"]),
    }
)
@triton.jit(do_not_specialize=["n_rows"])
def softmax_fwd(
    out_ptr,
    in_ptr,
    out_stride,
    in_stride,
    n_rows,
    n_cols,
    BLOCK: tl.constexpr,
    EVEN: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    tl.assume(pid >= 0)
    tl.assume(n_cols % 8 == 0)
    base = tl.cast(pid, tl.int64)
    cols = tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    if EVEN:
        x = tl.load(in_ptr + base * in_stride + cols)
    else:
        x = tl.load(in_ptr + base * in_stride + cols, mask=cols < n_cols, other=float("-inf"))
    x = x.to(tl.float32)
    z = (x - tl.max(x, axis=0)) * 1.4426950408889634
    e = tl.exp2(z)
    y = (e / tl.sum(e, axis=0)).to(out_ptr.dtype.element_ty)
    if EVEN:
        tl.store(out_ptr + base * out_stride + cols, y)
    else:
        tl.store(out_ptr + base * out_stride + cols, y, mask=cols < n_cols)


def softmax(x):
    assert x.dim() == 2 and x.stride(-1) == 1
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), device=x.device, dtype=x.dtype)
    if out.numel() == 0:
        return out

    def grid(meta):
        return (n_rows,)

    softmax_fwd[grid](out, x, out.stride(0), x.stride(0), n_rows, n_cols)
    return out
