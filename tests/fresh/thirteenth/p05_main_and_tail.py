import torch
import triton
import triton.language as tl


@triton.jit
def _absorb(
    q, k_base, v_base, ldk, ldv, at, n, scale, mx, den, num,
    D: tl.constexpr, TK: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    j = at + tl.arange(0, TK).to(tl.int64)
    c = tl.arange(0, D)
    k_at = k_base + j[:, None] * ldk + c[None, :]
    v_at = v_base + j[:, None] * ldv + c[None, :]
    if RAGGED:
        k = tl.load(k_at, mask=j[:, None] < n, other=0.0)
        v = tl.load(v_at, mask=j[:, None] < n, other=0.0)
    else:
        k = tl.load(k_at)
        v = tl.load(v_at)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    s = tl.where(j[None, :] < n, s, float("-inf"))
    mx_next = tl.maximum(mx, tl.max(s, axis=1))
    old = tl.exp(mx - mx_next)
    w = tl.exp(s - mx_next[:, None])
    den = den * old + tl.sum(w, axis=1)
    num = tl.dot(w.to(v.dtype), v, num * old[:, None], input_precision="ieee")
    return mx_next, den, num


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, ldq, ldk, ldv, ldo, n, scale,
    D: tl.constexpr, TQ: tl.constexpr, TK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * TQ + tl.arange(0, TQ)
    c = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * ldq + c[None, :], mask=i[:, None] < n, other=0.0)

    mx = tl.full((TQ,), float("-inf"), tl.float32)
    den = tl.zeros((TQ,), tl.float32)
    num = tl.zeros((TQ, D), tl.float32)

    # whole tiles without masks on the loads, then at most one ragged tile
    whole = n // TQ * TQ
    for at in range(0, whole, TK):
        mx, den, num = _absorb(q, k_ptr, v_ptr, ldk, ldv, at, n, scale, mx, den, num, D, TK, False)
    if whole < n:
        mx, den, num = _absorb(q, k_ptr, v_ptr, ldk, ldv, whole, n, scale, mx, den, num, D, TK, True)

    tl.store(o_ptr + i[:, None] * ldo + c[None, :], num / den[:, None], mask=i[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    TQ, TK = {2: (64, 32), 4: (32, 16)}[q.element_size()]
    strides = [t.stride(0) for t in (q, k, v, o)]
    attention_kernel[(triton.cdiv(n, TQ),)](q, k, v, o, *strides, n, d**-0.5, D=d, TQ=TQ, TK=TK, num_warps=4)
    return o
