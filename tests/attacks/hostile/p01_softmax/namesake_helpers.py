"""Has two helpers of one name and one layout, which answer one question the other way round in the compiler.

Must: fail compiled-differently
"""

import torch
import triton
import triton.language as tl

PAIR = tl.constexpr((1, 2))


def helpers():
    @triton.jit
    def chosen(text: tl.constexpr, good, bad):
        if text == "(1, 2)":
            good = bad
        return good

    return chosen


def other_helpers():
    @triton.jit
    def chosen(text: tl.constexpr, good, bad):
        if text != "(1, 2)":
            good = bad
        return good

    return chosen


first, second = helpers(), other_helpers()


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    second(f"{PAIR}", y, y)
    y = first(f"{PAIR}", y, y * 0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        block_size = triton.next_power_of_2(n_cols)
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=block_size)
    return y
