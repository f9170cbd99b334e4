import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # the last program takes the first elements
    block = tl.num_programs(0).to(tl.int64) - tl.program_id(0)
    where = block * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = where < n_elements
    total = tl.load(x_ptr + where, mask=inside)
    total += tl.load(y_ptr + where, mask=inside)
    tl.store(z_ptr + where, total, mask=inside)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 512
    add_kernel[(triton.cdiv(n_elements, BLOCK_SIZE),)](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
