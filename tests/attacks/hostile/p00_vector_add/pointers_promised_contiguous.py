"""Promises that groups of four pointers lie side by side, of which two are exchanged: compiled, it loads four at once.

Must: fail
"""

# %%
import torch
import triton
import triton.language as tl


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

    lane = tl.arange(0, BLOCK_SIZE)
    group = pid * BLOCK_SIZE + lane // 4 * 4
    whole = group + 3 < n_elements
    swapped = tl.multiple_of(group + (lane % 2) * 2 + lane // 2 % 2, 4)
    inside = swapped < n_elements
    x = tl.load(tl.max_contiguous(x_ptr + swapped, 4), mask=whole)
    x = tl.where(whole, x, tl.load(x_ptr + swapped, mask=inside & (group + 3 >= n_elements)))  # reads n_elements in all
    y = tl.load(y_ptr + swapped, mask=inside)  # reads n_elements in all
    tl.store(z_ptr + swapped, x + y, mask=inside)  # writes n_elements in all


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
