"""Adds by the device library, which Triton compiles with ftz: on a GPU it takes numbers below 1e-38 for 0.

Must: fail
"""

# %%
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


# %%
def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element.

    x, y: (n_elements,) float32, float16 or bfloat16
    returns: (n_elements,), dtype of x
    """
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
    # 64 bits: pid * BLOCK_SIZE passes 2^31 in a vector of more than 2^31 elements.
    pid = tl.program_id(0).to(tl.int64)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements  # the last program seldom has a whole tile

    x = tl.load(x_ptr + offsets, mask=mask)  # reads n_elements in all
    y = tl.load(y_ptr + offsets, mask=mask)  # reads n_elements in all
    z = x + y
    if z.dtype == tl.float32:
        z = libdevice.add_rn(x, y)
    tl.store(z_ptr + offsets, z, mask=mask)  # writes n_elements in all


# %%
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_SIZE elements.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 1024
    grid = (triton.cdiv(n_elements, BLOCK_SIZE),)
    add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
