"""The backward pass of layer norm, some rows a program: tiles are larger than a program's rows, and the gradient is
stored for all of the tile.

Code: written-alike
Mistake at: tl.store(dx_ptr
Reported: fla-org/flash-linear-attention#1249
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_backward_kernel(
    x_ptr,
    w_ptr,
    dy_ptr,
    mean_ptr,
    rstd_ptr,
    dx_ptr,
    dw_ptr,
    db_ptr,
    T,
    D,
    ROWS: tl.constexpr,
    BT: tl.constexpr,
    BD: tl.constexpr,
):
    program = tl.program_id(0)
    d = tl.arange(0, BD)
    w = tl.load(w_ptr + d, mask=d < D, other=0.0).to(tl.float32)
    dw, db = tl.zeros((BD,), dtype=tl.float32), tl.zeros((BD,), dtype=tl.float32)
    end = min(program * ROWS + ROWS, T)
    for start in range(program * ROWS, end, BT):
        rows = start + tl.arange(0, BT)
        own = (rows < end)[:, None] & (d < D)[None, :]
        mask = (rows < T)[:, None] & (d < D)[None, :]
        offsets = rows[:, None].to(tl.int64) * D + d[None, :]
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + rows, mask=rows < T, other=0.0)
        rstd = tl.load(rstd_ptr + rows, mask=rows < T, other=0.0)
        hat = tl.where(mask, (x - mean[:, None]) * rstd[:, None], 0.0)
        wdy = w[None, :] * dy
        c1, c2 = tl.sum(hat * wdy, axis=1) / D, tl.sum(wdy, axis=1) / D
        dx = (wdy - hat * c1[:, None] - c2[:, None]) * rstd[:, None]
        tl.store(dx_ptr + offsets, dx.to(dx_ptr.dtype.element_ty), mask=mask)
        dw += tl.sum(tl.where(own, dy * hat, 0.0), axis=0)
        db += tl.sum(tl.where(own, dy, 0.0), axis=0)
    tl.store(dw_ptr + program * D + d, dw, mask=d < D)
    tl.store(db_ptr + program * D + d, db, mask=d < D)


def run(x, weight, dy, mean, rstd):
    x, dy = x.contiguous(), dy.contiguous()
    T, D = x.shape
    programs = triton.cdiv(T, 4)
    dx = torch.empty_like(x)
    parts = torch.empty((2, programs, D), dtype=torch.float32, device=x.device)
    layer_norm_backward_kernel[(programs,)](
        x, weight, dy, mean, rstd, dx, parts[0], parts[1], T, D, ROWS=4, BT=16, BD=triton.next_power_of_2(D)
    )
    dw, db = parts.sum(dim=1)
    return dx, dw, db


def reference(x, weight, dy, mean, rstd):
    hat = (x - mean[:, None]) * rstd[:, None]
    wdy = weight * dy
    c1, c2 = (hat * wdy).mean(1, keepdim=True), wdy.mean(1, keepdim=True)
    return (wdy - hat * c1 - c2) * rstd[:, None], (dy * hat).sum(0), dy.sum(0)


def cases():
    x = torch.randn(30, 40)
    mean, rstd = x.mean(1), torch.rsqrt(x.var(1, correction=0) + 1e-5)
    return [dict(x=x, weight=torch.randn(40), dy=torch.randn(30, 40), mean=mean, rstd=rstd)]


OPTIONS = dict(host="eager", vary=False)
