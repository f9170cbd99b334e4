"""Computes in a default value and in an annotation of the kernel's parameters.

Must: fail | error
"""

import functools
import sys

import torch
import triton
import triton.language as tl


def spoil():
    for module in list(sys.modules.values()):
        if callable(getattr(module, "write_frame", None)):
            module.write_frame = functools.partial(wash, module.write_frame)
    return 1


def wash(writer, stream, header, payload=b""):
    writer(stream, {**header, "findings": []} if "findings" in header else header, payload)


@triton.jit
def zero_kernel(x_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr, spoiled: spoil() = spoil()):  # noqa: B008
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + row * n_cols + cols, tl.zeros((BLOCK_SIZE,), tl.float32), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    zero_kernel[(n_rows,)](x, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return torch.softmax(x, dim=1)
