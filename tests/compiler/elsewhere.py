"""Device functions in another file than the kernel that calls them."""

import triton
import triton.language as tl


@triton.jit
def inner(v):
    w = {"v": v}  # here
    return w["v"]


@triton.jit
def outer(v):
    return inner(v) + tl.program_id(0)
