import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * BLOCK_SIZE
    left = n_elements - begin
    x_ptr += begin
    y_ptr += left
    z_ptr += begin
    lane = tl.arange(0, BLOCK_SIZE)
    live = lane <= left
    u = tl.load(x_ptr + lane, mask=live)
    v = tl.load(y_ptr + lane, mask=live)
    tl.store(z_ptr + lane, u + v, mask=live)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 1024
    add_kernel[(triton.cdiv(n_elements, BLOCK_SIZE),)](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
