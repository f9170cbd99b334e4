import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, H: tl.constexpr, W: tl.constexpr):
    # I look at the vector as a sheet of H lines with W numbers each
    base = tl.program_id(0).to(tl.int64) * (H * W)
    lines = tl.arange(0, H)[:, None]
    columns = tl.arange(0, W)[None, :]
    place = base + lines * H + columns
    exists = place < n_elements
    total = tl.load(x_ptr + place, mask=exists, other=0.0) + tl.load(y_ptr + place, mask=exists, other=0.0)
    tl.store(z_ptr + place, total, mask=exists)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    H, W = 8, 128
    add_kernel[(triton.cdiv(n_elements, H * W),)](x, y, z, n_elements, H=H, W=W)
    return z
