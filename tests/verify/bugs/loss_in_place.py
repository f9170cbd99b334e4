"""Cross-entropy that leaves the gradient in the logits, which an operation before it has saved for its own backward
pass.

Code: input-modified
Mistake at: dx = logits
Reported: linkedin/Liger-Kernel#272
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, label_ptr, loss_ptr, dx_ptr, n_cols, x_row_stride, dx_row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    label = tl.load(label_ptr + row)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    picked = tl.sum(tl.where(cols == label, x, 0.0), axis=0)
    m = tl.max(x, axis=0)
    e = tl.exp(x - m)
    l = tl.sum(e, axis=0)
    tl.store(loss_ptr + row, m + tl.log(l) - picked)
    dx = e / l - tl.where(cols == label, 1.0, 0.0)
    tl.store(dx_ptr + row * dx_row_stride + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)


def run(logits, labels):
    n_rows, n_cols = logits.shape
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    loss = torch.empty((n_rows,), dtype=torch.float32, device=logits.device)
    dx = logits
    cross_entropy_kernel[(n_rows,)](
        logits, labels, loss, dx, n_cols, logits.stride(0), dx.stride(0), BLOCK=triton.next_power_of_2(n_cols)
    )
    return loss, dx


def reference(logits, labels):
    gradient = torch.softmax(logits, dim=1)
    gradient[torch.arange(len(labels)), labels] -= 1
    return torch.nn.functional.cross_entropy(logits, labels, reduction="none"), gradient


def cases():
    return [dict(logits=torch.randn(5, 50), labels=torch.randint(0, 50, (5,)))]


OPTIONS = dict(vary=False)
