"""A random sign for every element; the first element of a program has a number of 64 bits."""

import torch
import triton
import triton.language as tl


@triton.jit
def sign_kernel(x_ptr, y_ptr, n_elements, threshold, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(y_ptr + offsets, tl.where(x > threshold, 1.0, -1.0), mask=mask)


def run(x, threshold=0.5):
    x = x.contiguous()
    y = torch.empty_like(x)
    sign_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), threshold, BLOCK=1024)
    return y


def reference(x, threshold=0.5):
    return torch.where(x > threshold, 1.0, -1.0).to(x.dtype)


def cases():
    return [dict(x=torch.rand(5000))]
