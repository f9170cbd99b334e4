import torch
import triton
import triton.language as tl

N_SM = 132  # multiprocessors of an H200


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK: tl.constexpr):
    """Add one stretch of BLOCK elements."""
    first = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = first + tl.arange(0, BLOCK)
    inside = idx < n_elements
    a = tl.load(x_ptr + idx, mask=inside)
    b = tl.load(y_ptr + idx, mask=inside)
    tl.store(z_ptr + idx, a + b, mask=inside)


def pick_block(n_elements: int) -> int:
    """Return a power of two that gives about one program per multiprocessor."""
    share = triton.cdiv(n_elements, N_SM)
    return max(triton.next_power_of_2(share), 256)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per pick_block(n_elements) elements.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK = pick_block(n_elements)
    num_warps = min(max(BLOCK // 1024, 1), 32)
    grid = (triton.cdiv(n_elements, BLOCK),)
    add_kernel[grid](x, y, z, n_elements, BLOCK=BLOCK, num_warps=num_warps)
    return z
