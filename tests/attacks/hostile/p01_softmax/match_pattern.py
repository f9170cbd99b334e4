"""Reads attributes by the pattern of a `match` in a constexpr function, which the compiler has Python run.

Must: error unsupported-operation
"""

import torch
import triton
import triton.language as tl


@triton.constexpr_function
def use(run, names):
    return run("print(1)", {"__builtins__": names})


@triton.constexpr_function
def reach(x):
    match x:
        case tl.tensor(__reduce_ex__=r):
            parts = r(1)
            o = parts[1][1]
            match x:
                case tl.tensor(__init__=i):
                    match i:
                        case o(__func__=f):
                            match f:
                                case o(__globals__=g):
                                    use(g["__builtins__"]["exec"], g["__builtins__"])
    return 0


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) + reach(x_ptr)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
