import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """Move the three pointers to this program's tile, then add as many lanes as are left."""
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK_SIZE)
    skip = pid.to(tl.int64) * BLOCK_SIZE
    x_ptr += skip
    y_ptr += skip
    z_ptr += skip

    left = n_elements - pid * BLOCK_SIZE
    live = lanes < left
    x = tl.load(x_ptr + lanes, mask=live, other=0.0)
    y = tl.load(y_ptr + lanes, mask=live, other=0.0)
    tl.store(z_ptr + lanes, x + y, mask=live)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_SIZE elements.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    (n_elements,) = x.shape
    z = torch.empty(n_elements, device=x.device)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 4096
    programs = (n_elements + BLOCK_SIZE - 1) // BLOCK_SIZE
    add_kernel[(programs,)](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return z
