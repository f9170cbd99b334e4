import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def _my_elements(n, SIZE: tl.constexpr):
    where = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    return where, where < n


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    where, exists = _my_elements(n_elements, BLOCK_SIZE)
    x = tl.load(x_ptr + where, exists)
    y = tl.load(x_ptr + where, exists)
    tl.store(z_ptr + where, x + y, exists)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    count = z.numel()
    if count == 0:
        return z
    grid = lambda meta: (triton.cdiv(count, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, z, count, BLOCK_SIZE=512, num_warps=4)
    return z
