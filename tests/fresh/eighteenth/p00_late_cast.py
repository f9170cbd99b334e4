import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def load_tile(ptr, offsets, n_elements):
    return tl.load(ptr + offsets, mask=offsets < n_elements)


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    start = (tl.program_id(0) * BLOCK_SIZE).to(tl.int64)
    offsets = start + tl.arange(0, BLOCK_SIZE)
    s = load_tile(x_ptr, offsets, n_elements) + load_tile(y_ptr, offsets, n_elements)
    tl.store(z_ptr + offsets, s, mask=offsets < n_elements)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 2048
    grid = (triton.cdiv(n_elements, BLOCK_SIZE),)
    add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return z
