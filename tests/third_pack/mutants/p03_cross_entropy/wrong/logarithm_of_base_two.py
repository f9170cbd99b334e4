"""Takes the logarithm to base 2 of a sum of powers of e.

Mistake at: lse = tl.log2(tl.sum(
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(logits_ptr, labels_ptr, loss_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0)
    logits_ptr += row_idx.to(tl.int64) * row_stride
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    label = tl.load(labels_ptr + row_idx)
    logits = tl.load(logits_ptr + col_offsets, mask=mask, other=-float("inf")).to(tl.float32)
    max_logit = tl.max(logits, axis=0)
    lse = tl.log2(tl.sum(tl.exp(logits - max_logit), axis=0)) + max_logit
    x_label = tl.load(logits_ptr + label).to(tl.float32)
    loss = lse - x_label
    tl.store(loss_ptr + row_idx, loss)


def cross_entropy(logits, targets):
    n_rows, n_cols = logits.shape
    loss = torch.empty(n_rows, dtype=torch.float32, device=logits.device)
    if n_rows == 0:
        return loss
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    cross_entropy_kernel[(n_rows,)](logits, targets, loss, logits.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return loss
