"""Keys gathered by a block table that is read for the sequence's own tokens alone."""

import torch
import triton
import triton.language as tl


@triton.jit
def score_kernel(
    q_ptr, k_ptr, table_ptr, s_ptr, length, n_pages, D: tl.constexpr, PAGE: tl.constexpr, BLOCK: tl.constexpr
):
    batch = tl.program_id(0).to(tl.int64)
    tokens = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    inside = tokens < length
    pages = tl.load(table_ptr + batch * n_pages + tokens // PAGE, mask=inside, other=0).to(tl.int64)
    slots = pages * PAGE + tokens % PAGE
    k = tl.load(k_ptr + slots[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    q = tl.load(q_ptr + batch * D + d)
    tl.store(s_ptr + batch * length + tokens, tl.sum(q[None, :] * k, axis=1), mask=inside)


def run(q, k_cache, table, length):
    scores = torch.empty((q.shape[0], length), dtype=torch.float32, device=q.device)
    score_kernel[(q.shape[0], triton.cdiv(length, 16))](
        q, k_cache, table, scores, length, table.shape[1], D=q.shape[1], PAGE=k_cache.shape[1], BLOCK=16
    )
    return scores


def reference(q, k_cache, table, length):
    k = k_cache[table.long()].flatten(1, 2)[:, :length]
    return torch.einsum("bd,btd->bt", q, k)


def cases():
    table = torch.randint(0, 9, (2, 5), dtype=torch.int32)
    return [dict(q=torch.randn(2, 16), k_cache=torch.randn(9, 4, 16), table=table, length=20)]


OPTIONS = dict(vary=False)
