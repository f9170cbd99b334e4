"""Penalties on the logits of tokens seen before: the end of a batch's tokens is read from the start of the next batch,
and the last has none.

Code: out-of-bounds-load
Mistake at: end = tl.load(start_ptr + batch + 1)
Reported: thunlp/TritonBench#12 (apply_penalty.py)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def penalty_kernel(
    logits_ptr, id_ptr, count_ptr, start_ptr, length_ptr, presence, frequency, stride, BLOCK: tl.constexpr
):
    batch = tl.program_id(0)
    start = tl.load(start_ptr + batch)
    end = tl.load(start_ptr + batch + 1)
    offsets = start + tl.arange(0, BLOCK)
    mask = offsets < end
    ids = tl.load(id_ptr + offsets, mask=mask, other=0)
    counts = tl.load(count_ptr + offsets, mask=mask, other=0)
    ptrs = logits_ptr + batch * stride + ids
    logits = tl.load(ptrs, mask=mask, other=0.0)
    tl.store(ptrs, logits - counts * frequency - presence, mask=mask)


def run(logits, ids, counts, starts, lengths, longest, presence=0.5, frequency=0.25):
    assert logits.stride(1) == 1
    block = triton.next_power_of_2(longest)
    penalty_kernel[(logits.shape[0],)](
        logits, ids, counts, starts, lengths, presence, frequency, logits.stride(0), BLOCK=block
    )
    return logits


def reference(logits, ids, counts, starts, lengths, longest, presence=0.5, frequency=0.25):
    for row, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        part = slice(start, start + length)
        logits[row, ids[part].long()] -= counts[part] * frequency + presence
    return logits


def cases():
    ids = torch.cat([torch.randperm(50)[:7], torch.randperm(50)[:10]]).to(torch.int32)
    starts, lengths = torch.tensor([0, 7], dtype=torch.int32), torch.tensor([7, 10], dtype=torch.int32)
    counts = torch.randint(1, 5, (17,), dtype=torch.int32)
    return [dict(logits=torch.randn(2, 50), ids=ids, counts=counts, starts=starts, lengths=lengths, longest=10)]


OPTIONS = dict(mutates=("logits",))
