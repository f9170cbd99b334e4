import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q kᵀ / sqrt(d)) v.

    q, k, v: (n, d) float32, float16 or bfloat16
    returns: (n, d), dtype of q
    """
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, q_row_stride, k_row_stride, v_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0).to(tl.int64) * BLOCK_M
    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, D)
    q = tl.load(q_ptr + offs_m[:, None] * q_row_stride + offs_d[None, :], mask=offs_m[:, None] < n, other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)

    lo, hi = 0, min(n, start_m + BLOCK_M)
    for start_n in range(lo, hi, BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N).to(tl.int64)
        valid = offs_n < n
        k = tl.load(k_ptr + offs_n[:, None] * k_row_stride + offs_d[None, :], mask=valid[:, None], other=0.0)
        qk = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        qk = tl.where(valid[None, :], qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        qk = qk - m_ij[:, None]
        p = tl.exp(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr + offs_n[:, None] * v_row_stride + offs_d[None, :], mask=valid[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m_i = m_ij

    acc = acc / l_i[:, None]
    tl.store(o_ptr + offs_m[:, None] * o_row_stride + offs_d[None, :], acc, mask=offs_m[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_M queries.

    q, k, v: (n, d) float32, float16 or bfloat16, d in 16, 32, 64, 128, last dimension contiguous
    returns: (n, d), dtype of q
    """
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
