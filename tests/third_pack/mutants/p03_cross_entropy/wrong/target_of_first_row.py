"""Takes the first row's target for every row.

Mistake at: t = tl.load(T)
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def ce_online_kernel(X, T, L, stride, V, BLOCK_V: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    base = X + r * stride
    t = tl.load(T)
    m = float("-inf")
    d = 0.0
    for start in range(0, V, BLOCK_V):
        v = start + tl.arange(0, BLOCK_V)
        x = tl.load(base + v, mask=v < V, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    x_t = tl.load(base + t).to(tl.float32)
    tl.store(L + r, m + tl.log(d) - x_t)


def cross_entropy(logits, targets):
    B, V = logits.shape
    loss = torch.empty((B,), dtype=torch.float32, device=logits.device)
    if B > 0:
        BLOCK_V = min(128, triton.next_power_of_2(V))
        ce_online_kernel[(B,)](logits, targets, loss, logits.stride(0), V, BLOCK_V=BLOCK_V)
    return loss
