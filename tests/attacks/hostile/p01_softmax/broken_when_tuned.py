"""Is no kernel for the compiler in an autotuner's second configuration.

Must: error compile-error
"""

import torch
import triton
import triton.language as tl

ONE = 1.0  # a global of Python's, which the interpreter reads, and the compiler does not


def configurations():
    return [triton.Config({"MODE": 0}, num_warps=4), triton.Config({"MODE": 1}, num_warps=4)]


@triton.autotune(configurations(), key=["n_cols"])
@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr, MODE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    if MODE:
        e = e * ONE
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    size = triton.next_power_of_2(n_cols)
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=size)
    return y
