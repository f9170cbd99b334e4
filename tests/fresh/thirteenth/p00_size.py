import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(z, x, y, size, TILE: tl.constexpr):
    first = tl.program_id(axis=0).to(tl.int64) * TILE
    x += first
    y += first
    z += first
    lanes = tl.arange(0, TILE)
    live = lanes < size - first
    tl.store(z + lanes, tl.load(x + lanes, live) + tl.load(y + lanes, live), live)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    count = x.numel()
    if not count:
        return z
    tile = 2048
    size = count * x.element_size()
    blocks = (count + tile - 1) // tile
    add_kernel[blocks, 1, 1](z, x, y, size, TILE=tile, num_warps=4)
    return z
