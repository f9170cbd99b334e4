import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_full(x_ptr, y_ptr, z_ptr, start, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    """Add UNROLL whole tiles."""
    for i in tl.static_range(UNROLL):
        where = start + i * BLOCK + tl.arange(0, BLOCK)
        tl.store(z_ptr + where, tl.load(x_ptr + where) + tl.load(y_ptr + where))


@triton.jit
def add_ragged(x_ptr, y_ptr, z_ptr, start, n_elements, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    """Add what there is of UNROLL tiles."""
    for i in tl.static_range(UNROLL):
        where = start + i * BLOCK + tl.arange(0, BLOCK)
        exists = where < n_elements
        x = tl.load(x_ptr + where, mask=exists)
        y = tl.load(y_ptr + where, mask=exists)
        tl.store(z_ptr + where, x + y, mask=exists)


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    """Add UNROLL neighbouring tiles, without masks wherever possible."""
    start = tl.program_id(0).to(tl.int64) * (UNROLL * BLOCK)
    if start + BLOCK <= n_elements:
        add_full(x_ptr, y_ptr, z_ptr, start, BLOCK, UNROLL)
    else:
        add_ragged(x_ptr, y_ptr, z_ptr, start, n_elements, BLOCK, UNROLL)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program per four tiles.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    z = torch.empty_like(x)
    if z.numel() > 0:
        BLOCK, UNROLL = 512, 4
        grid = (triton.cdiv(z.numel(), BLOCK * UNROLL),)
        add_kernel[grid](x, y, z, z.numel(), BLOCK=BLOCK, UNROLL=UNROLL)
    return z
