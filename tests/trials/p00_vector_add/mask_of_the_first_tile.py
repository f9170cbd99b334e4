"""The mask is computed from the first of four tiles, and kept for the others."""

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
def add_tiles_kernel(
    x_ptr,
    y_ptr,
    z_ptr,
    n_elements,
    TILE: tl.constexpr,
    TILES: tl.constexpr,
):
    """Write x + y to z for TILES tiles that lie side by side."""
    offs = tl.program_id(0).to(tl.int64) * (TILE * TILES) + tl.arange(0, TILE)
    live = offs < n_elements
    for _ in tl.static_range(TILES):
        total = tl.load(x_ptr + offs, mask=live) + tl.load(y_ptr + offs, mask=live)
        tl.store(z_ptr + offs, total, mask=live)
        offs += TILE


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per four tiles of 512 elements.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    TILE, TILES = 512, 4
    grid = (triton.cdiv(n_elements, TILE * TILES),)
    add_tiles_kernel[grid](x, y, z, n_elements, TILE=TILE, TILES=TILES)
    return z
