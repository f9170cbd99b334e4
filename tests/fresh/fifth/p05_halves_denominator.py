"""Two halves of the keys are merged, but their sums are added without the factors that the outputs get."""
import torch
import triton
import triton.language as tl


@triton.jit
def walk(q, k_ptr, v_ptr, k_step, v_step, begin, end, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    dims = tl.arange(0, D)[None, :]
    m = tl.full((M,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for t in range(begin, end, N):
        j = t + tl.arange(0, N).to(tl.int64)
        k = tl.load(k_ptr + j[:, None] * k_step + dims, mask=j[:, None] < end, other=0.0)
        v = tl.load(v_ptr + j[:, None] * v_step + dims, mask=j[:, None] < end, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(j[None, :] < end, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        a = tl.exp(m - m_new)
        l = a * l + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, a[:, None] * acc, input_precision="ieee")
        m = m_new
    return m, l, acc


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    dims = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + i[:, None] * sq + dims, mask=i[:, None] < n, other=0.0)
    half = n // 2
    m1, l1, acc1 = walk(q, k_ptr, v_ptr, sk, sv, 0, half, scale, D, M, N)
    m2, l2, acc2 = walk(q, k_ptr, v_ptr, sk, sv, half, n, scale, D, M, N)
    m = tl.maximum(m1, m2)
    w1 = tl.exp(m1 - m)
    w2 = tl.exp(m2 - m)
    acc = acc1 * w1[:, None] + acc2 * w2[:, None]
    l = l1 + l2
    tl.store(o_ptr + i[:, None] * so + dims, acc / l[:, None], mask=i[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    attention_kernel[(triton.cdiv(n, 32),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5, D=d, M=32, N=32, num_warps=4
    )
    return o
