"""Hi + log(norm) is rounded to fp32 before it is subtracted: for a large maximum log(norm) is lost: `tl.store(b + begin + i, tl.exp(z - (hi + log_norm)), mask=ok)`."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    a = x_ptr + row * x_row_stride
    b = y_ptr + row * y_row_stride
    i = tl.arange(0, BLOCK_SIZE)

    # the first tile by itself, then the rest
    z = tl.load(a + i, mask=i < n_cols, other=float("-inf")).to(tl.float32)
    hi = tl.maximum(tl.max(z, axis=0), -3.4028234663852886e38)
    norm = tl.sum(tl.exp(z - hi), axis=0)
    for begin in range(BLOCK_SIZE, n_cols, BLOCK_SIZE):
        z = tl.load(a + begin + i, mask=begin + i < n_cols, other=float("-inf")).to(tl.float32)
        hi_next = tl.maximum(hi, tl.max(z, axis=0))
        norm = norm * tl.exp(hi - hi_next) + tl.sum(tl.exp(z - hi_next), axis=0)
        hi = hi_next

    log_norm = tl.log(norm)
    for begin in range(0, n_cols, BLOCK_SIZE):
        ok = begin + i < n_cols
        z = tl.load(a + begin + i, mask=ok, other=float("-inf")).to(tl.float32)
        tl.store(b + begin + i, tl.exp(z - (hi + log_norm)), mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
