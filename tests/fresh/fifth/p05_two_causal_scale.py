"""Two: a causal mask that nobody asked for, and scores divided by d instead of by its square root."""
import torch
import triton
import triton.language as tl


@triton.jit
def rows_of(ptr, idx, stride, n, D: tl.constexpr):
    return tl.load(ptr + idx[:, None] * stride + tl.arange(0, D)[None, :], mask=idx[:, None] < n, other=0.0)


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    q = rows_of(q_ptr, i, sq, n, D)
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.full((BM,), 0.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN).to(tl.int64)
        s = tl.dot(q, tl.trans(rows_of(k_ptr, j, sk, n, D)), input_precision="ieee") * scale
        s = tl.where((j[None, :] < n) & (j[None, :] <= i[:, None]), s, -float("inf"))
        m1 = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m1[:, None])
        a = tl.exp(m - m1)
        v = rows_of(v_ptr, j, sv, n, D)
        acc = tl.dot(p.to(v.dtype), v, acc * a[:, None], input_precision="ieee")
        l = l * a + tl.sum(p, axis=1)
        m = m1
    tl.store(o_ptr + i[:, None] * so + tl.arange(0, D)[None, :], acc / l[:, None], mask=i[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    scale = 1.0 / d
    grid = (triton.cdiv(n, 32),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, scale, D=d, BM=32, BN=32, num_warps=4)
    return o
