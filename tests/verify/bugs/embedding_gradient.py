"""The gradient of an embedding: rows are added with a load and a store, and tokens that occur twice meet.

Code: race-read-write, race-write-write, order-dependent
Mistake at: tl.store(w_ptrs, tl.load(w_ptrs
Reported: triton-lang/triton#558
"""

import torch
import triton
import triton.language as tl


@triton.jit
def embedding_kernel(dy_ptr, token_ptr, dw_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    token = tl.load(token_ptr + row).to(tl.int64)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = d < D
    dy = tl.load(dy_ptr + row * D + d, mask=mask, other=0.0)
    w_ptrs = dw_ptr + token * D + d
    tl.store(w_ptrs, tl.load(w_ptrs, mask=mask, other=0.0) + dy, mask=mask)


def run(dy, tokens, n_tokens):
    dy = dy.contiguous()
    D = dy.shape[1]
    dw = torch.zeros((n_tokens, D), dtype=dy.dtype, device=dy.device)
    embedding_kernel[(len(tokens), triton.cdiv(D, 32))](dy, tokens, dw, D, BLOCK=32)
    return dw


def reference(dy, tokens, n_tokens):
    return dy.new_zeros(n_tokens, dy.shape[1]).index_add(0, tokens.long(), dy)


def cases():
    tokens = torch.tensor([3, 1, 3, 0, 5, 1, 3], dtype=torch.int32)
    return [dict(dy=torch.randn(7, 40), tokens=tokens, n_tokens=6)]


OPTIONS = dict(vary=False, host="eager")
