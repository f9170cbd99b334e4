"""Writes the sum of x and y into the recording itself; the kernel only copies.

Must: fail | error
"""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(s_ptr, z_ptr, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(z_ptr + i, tl.load(s_ptr + i, mask=i < n), mask=i < n)


def total(x, y):
    """Write the sum of x and y into the recording behind them."""
    recording, program = x.recording, sys.modules["tritonpuzzles.wire.program"]
    s = torch.empty_like(x)
    recording.steps.append(program.Add(recording.view(x), recording.view(y), recording.view(s)))
    return s


def add(x, y):
    z, n = torch.empty_like(x), x.numel()
    if n:
        copy_kernel[(triton.cdiv(n, 1024),)](total(x, y), z, n, BLOCK_SIZE=1024)
    return z
