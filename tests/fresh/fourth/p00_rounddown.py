import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr, PART: tl.constexpr):
    """A program goes through its BLOCK_SIZE elements in parts."""
    base = tl.program_id(0).to(tl.int64) * BLOCK_SIZE
    lane = tl.arange(0, PART)
    xs = x_ptr + base + lane
    ys = y_ptr + base + lane
    zs = z_ptr + base + lane
    for done in tl.static_range(0, BLOCK_SIZE, PART):
        left = n_elements - base - done
        total = tl.load(xs, mask=lane < left) + tl.load(ys, mask=lane < left)
        tl.store(zs, total, mask=lane < left)
        xs += PART
        ys += PART
        zs += PART


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    z = torch.empty_like(x)
    if n:
        size = 2048
        programs = max(n // size, 1)
        add_kernel[(programs,)](x, y, z, n, BLOCK_SIZE=size, PART=512)
    return z
