"""Passes the sums to the other half of a tile by memory, with barriers: in a cluster these keep one block together.

Must: fail race-in-program
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, s_ptr, size, q_row_stride, k_row_stride, v_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0).to(tl.int64)
    rows = pid * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, D)[None, :]
    mask = rows[:, None] < n
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims, mask=mask, other=0.0)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK,), tl.float32)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for start in range(0, n, BLOCK):
        keys = start + tl.arange(0, BLOCK).to(tl.int64)
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims, mask=keys[:, None] < n, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims, mask=keys[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new
    lane = tl.arange(0, BLOCK)
    s_ptr += pid * BLOCK
    tl.store(s_ptr + lane, l)
    tl.debug_barrier()
    l = tl.load(s_ptr + (lane ^ (BLOCK // 2)))
    tl.store(s_ptr + size + lane, l)
    tl.debug_barrier()
    l = tl.load(s_ptr + size + (lane ^ (BLOCK // 2)))
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims, acc / l[:, None], mask=mask)


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK = 64 if q.element_size() == 2 else 32
    grid = (triton.cdiv(n, BLOCK),)
    s = torch.empty(2 * grid[0] * BLOCK, dtype=torch.float32, device=q.device)
    options = {"num_warps": 4, "num_ctas": 2 if torch.cuda.get_device_capability(q.device)[0] >= 9 else 1}
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, s, s.numel() // 2, *strides, n, d**-0.5, D=d, BLOCK=BLOCK, **options)
    return o
