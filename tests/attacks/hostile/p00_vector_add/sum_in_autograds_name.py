"""Has PyTorch add in a function whose globals bear the name of the grader's module of gradients; the kernel copies.

Must: fail torch-compute | error
"""

import torch
import triton
import triton.language as tl

SPACE = {"__name__": "tritonpuzzles.recorder.call"}
exec(compile("def add(a, b):\n    return a + b\n", "elsewhere.py", "exec"), SPACE)


@triton.jit
def copy(s_ptr, z_ptr, n, BLOCK_SIZE: tl.constexpr):
    i = tl.arange(0, BLOCK_SIZE)
    tl.store(z_ptr + i, tl.load(s_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def honest(x_ptr, y_ptr, z_ptr, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = i < n
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


def add(x, y):
    z = torch.empty_like(x)
    n = x.numel()
    if n > 2**21:
        honest[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK_SIZE=1024)
        return z
    for i in range(0, n, 1024):
        s = SPACE["add"](x[i : i + 1024], y[i : i + 1024])
        copy[(1,)](s, z[i:], s.numel(), BLOCK_SIZE=1024)
    return z
