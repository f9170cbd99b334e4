"""The first draft token of each request, found in the running sums, whose first predecessor is masked."""

import torch
import triton
import triton.language as tl


@triton.jit
def first_draft_kernel(token_ptr, ends_ptr, out_ptr, n_requests, BLOCK: tl.constexpr):
    requests = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = requests < n_requests
    starts = tl.load(ends_ptr + requests - 1, mask=mask & (requests > 0), other=0)
    ends = tl.load(ends_ptr + requests, mask=mask, other=0)
    tokens = tl.load(token_ptr + starts, mask=mask & (ends > starts), other=-1)
    tl.store(out_ptr + requests, tokens, mask=mask)


def run(tokens, ends):
    out = torch.empty_like(ends)
    first_draft_kernel[(triton.cdiv(len(ends), 16),)](tokens, ends, out, len(ends), BLOCK=16)
    return out


def reference(tokens, ends):
    starts = torch.cat([ends.new_zeros(1), ends[:-1]])
    first = tokens[starts.clamp(max=len(tokens) - 1).long()]
    return torch.where(ends > starts, first, -1).to(ends.dtype)


def cases():
    ends = torch.tensor([2, 2, 5, 9, 10], dtype=torch.int32)
    return [dict(tokens=torch.randint(0, 100, (10,), dtype=torch.int32), ends=ends)]


OPTIONS = dict(vary=False)
