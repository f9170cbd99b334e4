"""The store uses the offset of the load: the rows of y are addressed with the row stride of x."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(inp, out, inp_stride, out_stride, width, BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)
    live = lane < width

    spot = r * inp_stride + lane
    v = tl.load(inp + spot, mask=live, other=float("-inf")).to(tl.float32)
    v -= tl.max(v, axis=0)
    w = tl.exp(v)
    w /= tl.sum(w, axis=0)
    tl.store(out + spot, w, mask=live)


def softmax(x: torch.Tensor) -> torch.Tensor:
    rows, width = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = triton.next_power_of_2(width)
    warps = min(max(block // 512, 1), 16)
    softmax_kernel[(rows,)](x, y, x.stride(0), y.stride(0), width, BLOCK_SIZE=block, num_warps=warps)
    return y
