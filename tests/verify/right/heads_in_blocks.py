"""Heads in blocks of four: the mask compares the head's number among all heads."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, scale_ptr, n_heads, dim, stride_t, stride_h, BLOCK_H: tl.constexpr, BLOCK_D: tl.constexpr):
    token, block = tl.program_id(0), tl.program_id(1)
    x_ptr += token.to(tl.int64) * stride_t + block * BLOCK_H * stride_h
    heads = tl.arange(0, BLOCK_H)
    d = tl.arange(0, BLOCK_D)
    mask = block * BLOCK_H + heads < n_heads
    both = mask[:, None] & (d < dim)[None, :]
    scale = tl.load(scale_ptr + d, mask=d < dim, other=0.0)
    ptrs = x_ptr + heads[:, None] * stride_h + d[None, :]
    tl.store(ptrs, tl.load(ptrs, mask=both, other=0.0) * scale[None, :], mask=both)


def run(x, scale):
    tokens, n_heads, dim = x.shape
    scale_kernel[(tokens, triton.cdiv(n_heads, 4))](
        x, scale, n_heads, dim, x.stride(0), x.stride(1), BLOCK_H=4, BLOCK_D=triton.next_power_of_2(dim)
    )
    return x


def reference(x, scale):
    x *= scale
    return x


def cases():
    return [dict(x=torch.randn(5, 6, 24), scale=torch.randn(24))]


OPTIONS = dict(mutates=("x",), vary=False)
