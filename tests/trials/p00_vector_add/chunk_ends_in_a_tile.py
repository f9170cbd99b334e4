"""The mask ends with the vector, not with the program's own chunk."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, chunk, TILE: tl.constexpr):
    """Add elements pid * chunk to (pid + 1) * chunk - 1, tile by tile."""
    at = tl.program_id(0).to(tl.int64) * chunk
    end = tl.minimum(at + chunk, n_elements)
    lanes = tl.arange(0, TILE)
    while at < end:
        offs = at + lanes
        keep = offs < n_elements
        total = tl.load(x_ptr + offs, mask=keep) + tl.load(y_ptr + offs, mask=keep)
        tl.store(z_ptr + offs, total, mask=keep)
        at += TILE


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Share the vector out among at most 1,056 programs.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    z = torch.empty_like(x)
    n_elements = z.numel()
    if n_elements == 0:
        return z
    TILE = 2048
    programs = min(triton.cdiv(n_elements, TILE), 8 * 132)
    chunk = triton.cdiv(n_elements, programs)
    add_kernel[(programs,)](x, y, z, n_elements, chunk, TILE=TILE, num_warps=8)
    return z
