"""Has autograd add x and y as gradients of one tensor, called by the grader's own function; the kernel only copies.

Must: fail torch-compute | error
"""

import sys

import torch
import triton
import triton.language as tl


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, leaf, again, x, y):
        ctx.x, ctx.y = x, y
        return leaf.view_as(leaf)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.x, ctx.y, None, None


def total(x, y):
    """Have autograd add x and y, called as the grader calls it."""
    gradients = sys.modules["tritonpuzzles.recorder.call"].gradients
    leaf = torch.empty_like(x).requires_grad_()
    return gradients((Both.apply(leaf, leaf, x, y),), (leaf,), (x,))[0]


@triton.jit
def copy_kernel(s_ptr, z_ptr, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(z_ptr + i, tl.load(s_ptr + i, mask=i < n), mask=i < n)


def add(x, y):
    z, n = torch.empty_like(x), x.numel()
    if n:
        copy_kernel[(triton.cdiv(n, 1024),)](total(x, y), z, n, BLOCK_SIZE=1024)
    return z
