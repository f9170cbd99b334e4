"""Softmax of several rows per program."""

import torch
import triton
import triton.language as tl


@triton.jit
def window(rows_ptr, start, alive, n_cols, C: tl.constexpr):
    lane = tl.arange(0, C)[None, :]
    open_ = alive & (lane < n_cols)
    v = tl.load(rows_ptr + start + lane, mask=open_, other=-float("inf"))
    return v.to(tl.float32), start + lane, open_


@triton.jit
def rows_softmax(inp, out, inp_step, out_step, n_rows, n_cols, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)[:, None]
    alive = row < n_rows
    inp += row * inp_step
    out += row * out_step

    m = tl.full((R,), -3.4028234663852886e38, tl.float32)
    d = tl.zeros((R,), tl.float32)
    for start in range(0, n_cols, C):
        v, _, _ = window(inp, start, alive, n_cols, C)
        top = tl.maximum(m, tl.max(v, axis=1))
        d = d * tl.exp(m - top) + tl.sum(tl.exp(v - top[:, None]), axis=1)
        m = top

    for start in range(0, n_cols, C):
        v, col, open_ = window(inp, start, alive, n_cols, C)
        tl.store(out + col, tl.exp(v - m[:, None]) / d[:, None], mask=open_)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    src = x.contiguous()
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    C = min(triton.next_power_of_2(n_cols), 256)
    R = max(1024 // C, 2)
    grid = (triton.cdiv(n_rows, R), 1, 1)
    rows_softmax[grid](src, out, src.stride(0), out.stride(0), n_rows, n_cols, R=R, C=C, num_warps=4)
    return out
