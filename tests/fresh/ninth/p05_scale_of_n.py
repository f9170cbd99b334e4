import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * sq + d[None, :], mask=(i < n)[:, None], other=0.0)

    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), tl.float32)
    out = tl.zeros((BLOCK_M, D), tl.float32)
    for j0 in range(0, n, BLOCK_N):
        j = j0 + tl.arange(0, BLOCK_N).to(tl.int64)
        j_ok = j < n
        # load k already transposed: (D, BLOCK_N)
        kt = tl.load(k_ptr + j[None, :] * sk + d[:, None], mask=j_ok[None, :], other=0.0)
        score = tl.dot(q, kt, input_precision="ieee") * scale
        score = tl.where(j_ok[None, :], score, float("-inf"))
        new_top = tl.maximum(top, tl.max(score, 1))
        w = tl.exp(score - new_top[:, None])
        old = tl.exp(top - new_top)
        weight_sum = weight_sum * old + tl.sum(w, 1)
        out = out * old[:, None]
        v = tl.load(v_ptr + j[:, None] * sv + d[None, :], mask=j_ok[:, None], other=0.0)
        out += tl.dot(w.to(v.dtype), v, input_precision="ieee")
        top = new_top
    tl.store(o_ptr + i[:, None] * so + d[None, :], out / weight_sum[:, None], mask=(i < n)[:, None])


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    scale = 1 / n**0.5
    BLOCK = 64 if q.dtype != torch.float32 else 32
    attention_kernel[(triton.cdiv(n, BLOCK),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, scale, D=d, BLOCK_M=BLOCK, BLOCK_N=BLOCK
    )
    return o
