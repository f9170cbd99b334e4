"""The programs go through the blocks backwards, but the first one starts one block too far."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(
    x_ptr,
    y_ptr,
    z_ptr,
    n_elements,
    BLOCK: tl.constexpr,
):
    # last block first, so that the partial one does not come at the end
    block = tl.num_programs(0) - tl.program_id(0)
    x_ptr += block.to(tl.int64) * BLOCK
    y_ptr += block.to(tl.int64) * BLOCK
    z_ptr += block.to(tl.int64) * BLOCK
    left = n_elements - block.to(tl.int64) * BLOCK

    lane = tl.arange(0, BLOCK)
    total = tl.load(x_ptr + lane, mask=lane < left) + tl.load(y_ptr + lane, mask=lane < left)
    tl.store(z_ptr + lane, total, mask=lane < left)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z

    def grid(meta):
        return (triton.cdiv(n_elements, meta["BLOCK"]),)

    add_kernel[grid](x, y, z, n_elements, BLOCK=1024)
    return z
