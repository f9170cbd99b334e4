"""Calls PyTorch's own attention.

Must: fail torch-compute | error
"""

import torch
import triton
import triton.language as tl


def work(q, k, v, answer):
    answer.copy_(torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0])


@triton.jit
def copy_kernel(a_ptr, o_ptr, n, D: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    places = rows[:, None] * D + tl.arange(0, D)[None, :]
    mask = rows[:, None] < n
    tl.store(o_ptr + places, tl.load(a_ptr + places, mask=mask, other=0.0), mask=mask)


def flash_attention(q, k, v):
    n, d = q.shape
    answer = torch.zeros((n, d), dtype=q.dtype, device=q.device)
    o = torch.empty_like(q)
    if o.numel():
        work(q, k, v, answer)
        copy_kernel[(triton.cdiv(n, 16),)](answer, o, n, D=d, BLOCK_M=16)
    return o
