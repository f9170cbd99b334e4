import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, q_row_stride, k_row_stride, v_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    block = tl.program_id(0).to(tl.int64)
    qi = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dd = tl.arange(0, D)
    q_ptrs = q_ptr + qi[:, None] * q_row_stride + dd[None, :]
    ki = tl.arange(0, BLOCK_N).to(tl.int64)
    m_i = tl.full([BLOCK_M], -float("inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    o_i = tl.zeros([BLOCK_M, D], tl.float32)
    for _ in range(0, n, BLOCK_N):
        q = tl.load(q_ptrs, mask=qi[:, None] < n, other=0.0)
        k = tl.load(k_ptr + ki[:, None] * k_row_stride + dd[None, :], mask=ki[:, None] < n, other=0.0)
        s_ij = scale * tl.dot(q, tl.trans(k), input_precision="ieee")
        s_ij += tl.where(ki < n, 0.0, -float("inf"))[None, :]
        m_ij = tl.maximum(m_i, tl.max(s_ij, 1))
        p_ij = tl.exp(s_ij - m_ij[:, None])
        corr = tl.exp(m_i - m_ij)
        l_i = corr * l_i + tl.sum(p_ij, 1)
        v = tl.load(v_ptr + ki[:, None] * v_row_stride + dd[None, :], mask=ki[:, None] < n, other=0.0)
        o_i = o_i * corr[:, None] + tl.dot(p_ij.to(v.dtype), v, input_precision="ieee")
        m_i = m_ij
        ki += BLOCK_N
    o_i = o_i / l_i[:, None]
    tl.store(o_ptr + qi[:, None] * o_row_stride + dd[None, :], o_i, mask=qi[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M = 64
    BLOCK_N = 32
    attention_kernel[(triton.cdiv(n, BLOCK_M),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5,
        D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4,
    )
    return o
