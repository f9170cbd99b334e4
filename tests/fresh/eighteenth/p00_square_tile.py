import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, LINES: tl.constexpr, WIDTH: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * (LINES * WIDTH)
    line = tl.arange(0, LINES)[:, None]
    col = tl.arange(0, WIDTH)[None, :]
    offsets = base + line * LINES + col
    mask = offsets < n_elements
    z = tl.load(x_ptr + offsets, mask=mask, other=0.0) + tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.store(z_ptr + offsets, z, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    LINES, WIDTH = 8, 128
    grid = (triton.cdiv(n_elements, LINES * WIDTH),)
    add_kernel[grid](x, y, z, n_elements, LINES=LINES, WIDTH=WIDTH)
    return z
