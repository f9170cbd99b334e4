"""Vector add. The offsets come from a small helper, so that the kernel itself stays short."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def lanes_of(pid, WIDTH: tl.constexpr):
    # long vectors: offsets have 64 bits
    first = (pid * WIDTH).to(tl.int64)
    return first + tl.arange(0, WIDTH)


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    where = lanes_of(tl.program_id(0), BLOCK_SIZE)
    alive = where < n_elements
    left = tl.load(x_ptr + where, mask=alive)
    right = tl.load(y_ptr + where, mask=alive)
    tl.store(z_ptr + where, left + right, mask=alive)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements:
        BLOCK_SIZE = 2048
        add_kernel[(triton.cdiv(n_elements, BLOCK_SIZE),)](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return z
