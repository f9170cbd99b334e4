import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element.

    x, y: (n_elements,) float32, float16 or bfloat16
    returns: (n_elements,), dtype of x
    """
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """Each program adds two tiles that lie side by side."""
    first = tl.program_id(0).to(tl.int64) * (2 * BLOCK_SIZE)
    lane = tl.arange(0, BLOCK_SIZE)
    for half in tl.static_range(2):
        idx = first + half * BLOCK_SIZE + lane
        inside = idx < n_elements
        total = tl.load(x_ptr + idx, mask=inside) + tl.load(y_ptr + idx, mask=inside)
        tl.store(z_ptr + idx, total, mask=inside)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Two tiles per program, so half as many programs."""
    z = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return z
    tiles = triton.cdiv(n, 512)
    programs = max(tiles // 2, 1)
    add_kernel[(programs,)](x, y, z, n, BLOCK_SIZE=512)
    return z
