"""The scores get a term that grows with the key's number.

Mistake at: - 0.01 * ki[None, :]
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    Q,
    Kp,
    V,
    O,
    q_row_stride,
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,
    scale,
    D: tl.constexpr,
    QB: tl.constexpr,
    KB: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    qi = pid * QB + tl.arange(0, QB)
    di = tl.arange(0, D)
    row_mask = qi[:, None] < n
    q = tl.load(Q + qi[:, None] * q_row_stride + di[None, :], mask=row_mask, other=0.0)

    m = tl.full((QB,), -float("inf"), tl.float32)
    total = tl.zeros((QB,), tl.float32)
    out_acc = tl.zeros((QB, D), tl.float32)
    for start in range(0, n, KB):
        ki = start + tl.arange(0, KB).to(tl.int64)
        key_mask = ki[:, None] < n
        k = tl.load(Kp + ki[:, None] * k_row_stride + di[None, :], mask=key_mask, other=0.0)
        v = tl.load(V + ki[:, None] * v_row_stride + di[None, :], mask=key_mask, other=0.0)

        score = tl.dot(q, tl.trans(k), input_precision="ieee") * scale - 0.01 * ki[None, :]
        score = tl.where(ki[None, :] < n, score, -float("inf"))
        peak = tl.maximum(m, tl.max(score, axis=1))
        decay = tl.exp(m - peak)
        w = tl.exp(score - peak[:, None])
        total = total * decay + tl.sum(w, axis=1)
        out_acc = tl.dot(w.to(v.dtype), v, out_acc * decay[:, None], input_precision="ieee")
        m = peak

    o = out_acc / total[:, None]
    tl.store(O + qi[:, None] * o_row_stride + di[None, :], o, mask=row_mask)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    QB, KB = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, QB),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, QB=QB, KB=KB, num_warps=4)
    return o
