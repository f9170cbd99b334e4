"""Computes with PyTorch with the dispatcher's Python keys excluded.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


def work(x, answer):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.Python)
    with torch._C._ExcludeDispatchKeyGuard(keys.add(torch._C.DispatchKey.PythonTLSSnapshot)):
        answer.copy_(torch.softmax(x, dim=1))


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    answer = torch.zeros((n_rows, n_cols), dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    work(x, answer)
    copy_kernel[(n_rows,)](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
