import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, TILE: tl.constexpr, TILES: tl.constexpr):
    """Each program walks TILES tiles with moving pointers."""
    begin = tl.program_id(0).to(tl.int64) * (TILE * TILES)
    lanes = tl.arange(0, TILE)
    px = x_ptr + begin + lanes
    py = y_ptr + begin + lanes
    pz = z_ptr + begin + lanes
    left = n - begin
    for _ in range(TILES):
        live = lanes < left
        u = tl.load(px, mask=live)
        v = tl.load(py, mask=live)
        tl.store(pz, u + v, mask=live)
        px += TILE
        py += TILE
        left -= TILE


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    if z.numel() == 0:
        return z
    meta = dict(TILE=512, TILES=4)
    grid = (triton.cdiv(z.numel(), meta["TILE"] * meta["TILES"]),)
    add_kernel[grid](x, y, z, z.numel(), **meta)
    return z
