"""The product is widened behind it: `(line * stride).to(tl.int64)`."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def _start(base, line, stride):
    return base + (line * stride).to(tl.int64)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(0)
    # a tile of shape (1, BLOCK_SIZE)
    c = tl.arange(0, BLOCK_SIZE)[None, :]
    a = tl.load(_start(x_ptr, r, x_row_stride) + c, mask=c < n_cols, other=0.0).to(tl.float32)
    a = tl.where(c < n_cols, a, -float("inf"))
    a = tl.exp(a - tl.max(a, axis=1, keep_dims=True))
    a = a * (1.0 / tl.sum(a, axis=1, keep_dims=True))
    tl.store(_start(y_ptr, r, y_row_stride) + c, a, mask=c < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = triton.next_power_of_2(x.shape[1])
    warps = min(max(block // 512, 1), 16)
    launch = softmax_kernel[(x.shape[0],)]
    launch(x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK_SIZE=block, num_warps=warps)
    return y
