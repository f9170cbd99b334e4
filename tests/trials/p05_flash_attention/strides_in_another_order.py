"""The host passes the strides of o and v in the wrong order."""

import torch
import triton
import triton.language as tl

def reference(q, k, v):
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    q_row_stride,
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    q_rows = (pid * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    dims = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + q_rows * q_row_stride + dims, mask=q_rows < n, other=0.0)

    m = tl.full((BLOCK_M, 1), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M, 1), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        lane = start + tl.arange(0, BLOCK_N).to(tl.int64)
        k_rows = lane[:, None]
        k = tl.load(k_ptr + k_rows * k_row_stride + dims, mask=k_rows < n, other=0.0)
        v = tl.load(v_ptr + k_rows * v_row_stride + dims, mask=k_rows < n, other=0.0)
        s = tl.where(lane[None, :] < n, tl.dot(q, tl.trans(k), input_precision="ieee") * scale, -float("inf"))
        m_next = tl.maximum(m, tl.max(s, axis=1)[:, None])
        shrink = tl.exp(m - m_next)
        p = tl.exp(s - m_next)
        l = l * shrink + tl.sum(p, axis=1)[:, None]
        acc = tl.dot(p.to(v.dtype), v, acc * shrink, input_precision="ieee")
        m = m_next

    tl.store(o_ptr + q_rows * o_row_stride + dims, acc / l, mask=q_rows < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    attention_kernel[(triton.cdiv(n, BLOCK_M),)](
        q,
        k,
        v,
        o,
        q.stride(0),
        k.stride(0),
        o.stride(0),
        v.stride(0),
        n,
        d**-0.5,
        D=d,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        num_warps=4,
    )
    return o
