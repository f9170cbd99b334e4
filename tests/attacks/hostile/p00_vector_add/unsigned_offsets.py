"""Offsets of 32 bits without a sign: right up to 2^32 elements, and not beyond.

Must: fail written-twice
"""

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


# %%
@triton.jit
def add_kernel(
    x_ptr,  # input, (n_elements,)
    y_ptr,  # input, (n_elements,), same dtype
    z_ptr,  # output, (n_elements,), same dtype
    n_elements,  # of each vector, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a program, a power of two
):
    """Write x + y to z for elements pid * BLOCK_SIZE to (pid + 1) * BLOCK_SIZE - 1, as far as they exist."""
    # Offsets are never negative, so an unsigned type has room for vectors past 2,147,483,647 elements, at the cost of
    # one register in place of two.
    pid = tl.program_id(0).to(tl.uint32)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).to(tl.uint32)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + y, mask=mask)


# %%
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
