"""Describes a kernel that stands in the shipped solution, by way of the judge's own entry in /proc.

Must: fail | error
"""

import linecache
from pathlib import Path

import torch
import triton
import triton.language as tl

PATH = "/proc/self/root" + str(Path(__file__).resolve().parents[1] / "clone" / "solutions" / "p01_softmax.py")
LINE, NAME = 68, "softmax_kernel"
DEF = """@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    tl.program_id, tl.int64, tl.arange, tl.load, tl.float32, tl.exp, tl.max, tl.sum, tl.store, float
"""
text = "\n" * (LINE - 2) + DEF
linecache.cache[PATH] = (len(text), None, [line + "\n" for line in text.split("\n")], PATH)
space = {"triton": triton, "tl": tl, "__name__": "solution"}
exec(compile(text, PATH, "exec"), space)
k = space["softmax_kernel"]


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
