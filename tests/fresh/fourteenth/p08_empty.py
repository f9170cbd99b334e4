"""Matrix product with gradients: a product object that knows its tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def contract(
    u_ptr, w_ptr, z_ptr, R, S, T, u_r, u_t, w_t, w_s, z_r, z_s,
    BR: tl.constexpr, BS: tl.constexpr, BT: tl.constexpr,
):
    """z[r, s] = sum over t of u[r, t] w[t, s]"""
    columns = tl.cdiv(S, BS)
    r = tl.program_id(0).to(tl.int64) // columns * BR + tl.arange(0, BR)
    s = tl.program_id(0).to(tl.int64) % columns * BS + tl.arange(0, BS)
    z = tl.zeros((BR, BS), tl.float32)
    t0 = 0
    while t0 < T:
        t = t0 + tl.arange(0, BT).to(tl.int64)
        u_mask = (r < R)[:, None] & (t < T)[None, :]
        w_mask = (t < T)[:, None] & (s < S)[None, :]
        u = tl.load(u_ptr + (r[:, None] * u_r + t[None, :] * u_t), mask=u_mask, other=0.0)
        w = tl.load(w_ptr + (t[:, None] * w_t + s[None, :] * w_s), mask=w_mask, other=0.0)
        z = tl.dot(u, w, z)
        t0 += BT
    tl.store(z_ptr + (r[:, None] * z_r + s[None, :] * z_s), z, mask=(r < R)[:, None] & (s < S)[None, :])


class Contraction:
    def __init__(self, br=64, bs=64, bt=64):
        self.tiles = {"BR": br, "BS": bs, "BT": bt}

    def __call__(self, u, w, z):
        R, T = u.shape
        S = w.shape[1]
        if R * S * T == 0:
            return z
        grid = (triton.cdiv(R, self.tiles["BR"]) * triton.cdiv(S, self.tiles["BS"]),)
        contract[grid](u, w, z, R, S, T, *u.stride(), *w.stride(), *z.stride(), **self.tiles)
        return z


times = Contraction()


class DotFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, ta, tb):
        ctx.save_for_backward(a, b)
        ctx.ta, ctx.tb = ta, tb
        x = a.mT if ta else a
        y = b.mT if tb else b
        return times(x, y, torch.empty((len(x), y.shape[1]), dtype=x.dtype, device=x.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        need_a, need_b, *_ = ctx.needs_input_grad
        da = db = None
        if need_a:
            da = torch.empty_like(a)
            times(g, b if ctx.tb else b.mT, da.mT if ctx.ta else da)
        if need_b:
            db = torch.empty_like(b)
            times(a if ctx.ta else a.mT, g, db.mT if ctx.tb else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return DotFunction.apply(a, b, transpose_a, transpose_b)
