"""Adds by an instruction that takes numbers below 1e-38 for 0.

Must: fail wrong-values
"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_f32(x, y):
    """x + y in one instruction that does not trap to the slow path of subnormals."""
    return tl.inline_asm_elementwise(
        "add.ftz.f32 $0, $1, $2;", "=f,f,f", [x, y], dtype=tl.float32, is_pure=True, pack=1
    )


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """Write x + y to z for elements pid * BLOCK_SIZE to (pid + 1) * BLOCK_SIZE - 1, as far as they exist."""
    pid = tl.program_id(0).to(tl.int64)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(z_ptr + offsets, add_f32(x, y), mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_SIZE elements."""
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 1024
    grid = (triton.cdiv(n_elements, BLOCK_SIZE),)
    add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
