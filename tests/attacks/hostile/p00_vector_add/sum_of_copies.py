"""Writes the sum of two copies, which a kernel made, into the recording itself.

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


def copied(x):
    s, n = torch.empty_like(x), x.numel()
    copy_kernel[(triton.cdiv(n, 1024),)](x, s, n, BLOCK_SIZE=1024)
    return s


def add(x, y):
    if not x.numel():
        return torch.empty_like(x)
    recording, program = x.recording, sys.modules["tritonpuzzles.wire.program"]
    a, b, z = copied(x), copied(y), torch.empty_like(x)
    recording.steps.append(program.Add(recording.view(a), recording.view(b), recording.view(z)))
    return z
