# -*- coding: utf-7 -*-
"""Says that it is UTF-7, in which a comment ends early, and code stands behind.

Must: error not-utf8
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offsets = tl.add(pid * BLOCK_SIZE, tl.arange(0, BLOCK_SIZE))
    mask = offsets < n_elements
    x = tl.load(tl.add(x_ptr, offsets), mask=mask)
    y = tl.load(tl.add(y_ptr, offsets), mask=mask)  # the second vector +AAoAIAAgACAAIAB5ACAAPQAgAHgACg-
    tl.store(tl.add(z_ptr, offsets), tl.add(x, y), mask=mask)


def add(x, y):
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements:
        add_kernel[(triton.cdiv(n_elements, 1024),)](x, y, z, n_elements, BLOCK_SIZE=1024)
    return z
