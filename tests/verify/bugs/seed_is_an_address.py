"""Dropout with a seed in memory: the kernel takes the seed's address, and two equal calls drop other elements.

Code: wrong-values
Mistake at: seed = seed_ptr
Reported: facebookresearch/xformers#173
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, seed_ptr, y_ptr, n_elements, p, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    seed = seed_ptr.to(tl.int64)
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    keep = tl.rand(seed, offsets.to(tl.int32)) >= p
    tl.store(y_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def run(x, seed, p=0.5):
    x = x.contiguous()
    y = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(x.numel(), 256),)](x, seed, y, x.numel(), p, BLOCK=256)
    return y


def _kept(seed, n):
    """Draw as Triton does, by Philox 4x32 with ten rounds."""
    low = 0xFFFFFFFF
    k0, k1 = seed & low, (seed >> 32) & low
    c0, c1, c2, c3 = torch.arange(n), torch.zeros(n).long(), torch.zeros(n).long(), torch.zeros(n).long()
    for _ in range(10):
        high_a, low_a = _product(c0, 0xD2511F53)
        high_b, low_b = _product(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    signed = torch.where(c0 >= 2**31, c0 - 2**32, c0)
    return torch.where(signed < 0, -signed - 1, signed).double() * 4.6566127342e-10


def _product(x, factor):
    high, low = x >> 16, x & 0xFFFF
    low_part, high_part = low * factor, high * factor
    middle = high_part + (low_part >> 16)
    return middle >> 16, ((middle & 0xFFFF) << 16) | (low_part & 0xFFFF)


def reference(x, seed, p=0.5):
    keep = _kept(int(seed), x.numel()).reshape(x.shape) >= p
    return torch.where(keep, x / (1 - p), 0.0)


def cases():
    return [dict(x=torch.randn(1000), seed=torch.tensor([1234]))]


OPTIONS = dict(vary=False)
