"""Computes and launches in a thread, so that the host function's own thread does nothing.

Must: fail | error
"""

import threading

import torch
import triton
import triton.language as tl


def work_and_launch(x, answer, y):
    answer.copy_(torch.softmax(x, dim=1))
    n_rows, n_cols = x.shape
    copy_kernel[(n_rows,)](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    answer = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel():
        thread = threading.Thread(target=work_and_launch, args=(x, answer, y))
        thread.start()
        thread.join()
    return y
