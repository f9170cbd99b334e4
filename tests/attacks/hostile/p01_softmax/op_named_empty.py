"""Defines an operator of its own that is called empty and returns the finished answer.

Must: fail | error
"""

import torch
import triton
import triton.language as tl

library = torch.library.Library("mylib", "FRAGMENT")
library.define("empty(Tensor x) -> Tensor")
library.impl("empty", lambda x: torch.softmax(x, dim=1), "CompositeExplicitAutograd")


@triton.jit
def nothing_kernel(y_ptr):
    tl.store(y_ptr, tl.load(y_ptr))


def softmax(x):
    y = torch.ops.mylib.empty(x)
    if y.numel():
        nothing_kernel[(1,)](y)
    return y
