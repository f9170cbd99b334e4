"""Promises that each tile begins at a multiple of 16 bytes; a slice of a vector need not.

Must: error promise-broken
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
    pid = tl.program_id(0).to(tl.int64)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    # Vectors of 16 bytes: tell the compiler that neighbouring lanes may be fetched together.
    x = tl.load(tl.multiple_of(x_ptr + offsets, 16), mask=mask)
    y = tl.load(tl.multiple_of(y_ptr + offsets, 16), mask=mask)
    tl.store(tl.multiple_of(z_ptr + offsets, 16), x + y, mask=mask)


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
