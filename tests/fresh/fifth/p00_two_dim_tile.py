"""The rows of the 2-D tile lie R elements apart instead of C."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, R: tl.constexpr, C: tl.constexpr):
    # see the vector as a picture with lines of C elements; a program takes R lines
    corner = tl.program_id(axis=0).to(tl.int64) * (R * C)
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    offs = corner + r[:, None] * R + c[None, :]
    msk = offs < n_elements
    x = tl.load(x_ptr + offs, mask=msk)
    y = tl.load(y_ptr + offs, mask=msk)
    x += y
    tl.store(z_ptr + offs, x, mask=msk)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    R, C = 8, 128
    add_kernel[(triton.cdiv(n_elements, R * C),)](x, y, z, n_elements, R=R, C=C, num_warps=4)
    return z
