"""A trainable matrix product around one kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def mm_kernel(
    p, q, r, I, J, L,
    p_i, p_l, q_l, q_j, r_i, r_j,
    BI: tl.constexpr, BJ: tl.constexpr, BL: tl.constexpr,
):
    across = tl.cdiv(J, BJ)
    tile = tl.program_id(0)
    i = (tile // across).to(tl.int64) * BI + tl.arange(0, BI)
    j = (tile % across).to(tl.int64) * BJ + tl.arange(0, BJ)
    acc = tl.zeros((BI, BJ), tl.float32)
    for l0 in range(0, L, BL):
        l = l0 + tl.arange(0, BL).to(tl.int64)
        left = tl.load(p + i[:, None] * p_i + l[None, :] * p_l, mask=(i[:, None] < I) & (l[None, :] < L), other=0.0)
        right = tl.load(q + l[:, None] * q_l + j[None, :] * q_j, mask=(l[:, None] < L) & (j[None, :] < J), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(r + i[:, None] * r_i + j[None, :] * r_j, acc, mask=(i[:, None] < I) & (j[None, :] < J))


def mm_into(r, p, q):
    if r.numel() > 0:
        (I, L), J = p.shape, q.shape[1]
        grid = (triton.cdiv(I, 64) * triton.cdiv(J, 64),)
        mm_kernel[grid](p, q, r, I, J, L, *p.stride(), *q.stride(), *r.stride(), BI=64, BJ=64, BL=32)


def turn(t, flipped):
    return t.T if flipped else t


def slots(tensors, wanted):
    return [torch.empty_like(t) if w else None for t, w in zip(tensors, wanted)]


class MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, ta, tb):
        ctx.save_for_backward(a, b)
        ctx.turned = ta, tb
        ctx.grads = slots((a, b), ctx.needs_input_grad)
        x, y = turn(a, ta), turn(b, tb)
        c = torch.empty(x.shape[0], y.shape[1], dtype=a.dtype, device=a.device)
        mm_into(c, x, y)
        return c

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ta, tb = ctx.turned
        da, db = ctx.grads
        if da is not None:
            mm_into(turn(da, ta), g, turn(b, tb).T)
        if db is not None:
            mm_into(turn(db, tb), turn(a, ta).T, g)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return MatMul.apply(a, b, transpose_a, transpose_b)
