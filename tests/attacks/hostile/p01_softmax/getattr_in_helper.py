"""Reaches a function's globals by getattr of arguments that a helper has gathered.

Must: error unsupported-operation
"""

import torch
import triton
import triton.language as tl

PAYLOAD = tl.constexpr("""
import sys, torch
frame = sys._getframe()
while type(frame.f_locals.get("self")).__name__ != "Launch":
    frame = frame.f_back
x, y = (region.tensor for region in frame.f_locals["self"].memory.regions[:2])
y.copy_(torch.softmax(x.float(), 1))
""")


@triton.jit
def second(run, names):
    run(PAYLOAD.value, {"__builtins__": names})


@triton.jit
def first(names):
    second(names["__builtins__"]["exec"], names["__builtins__"])


@triton.jit
def asked(*pair):
    return getattr(*pair, "value")


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + row * y_row_stride + cols, tl.zeros((BLOCK_SIZE,), tl.float32), mask=cols < n_cols)
    first(asked(tl.load, "__globals__"))


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
