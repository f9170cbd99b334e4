"""Src is not set back to the start of the row before the last pass (a line is missing): `(a line is missing)`."""

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
    lane = tl.arange(0, BLOCK_SIZE)
    src = x_ptr + row * x_row_stride + lane
    dst = y_ptr + row * y_row_stride + lane
    top = float("-inf")
    done = 0
    while done < n_cols:
        v = tl.load(src, mask=lane < n_cols - done, other=float("-inf")).to(tl.float32)
        top = max(top, tl.max(v, 0))
        src += BLOCK_SIZE
        done += BLOCK_SIZE

    src = x_ptr + row * x_row_stride + lane
    denom = 0.0
    done = 0
    while done < n_cols:
        v = tl.load(src, mask=lane < n_cols - done, other=float("-inf")).to(tl.float32)
        denom += tl.sum(tl.exp(v - top), 0)
        src += BLOCK_SIZE
        done += BLOCK_SIZE

    done = 0
    while done < n_cols:
        v = tl.load(src, mask=lane < n_cols - done, other=float("-inf")).to(tl.float32)
        tl.store(dst, tl.exp(v - top) / denom, mask=lane < n_cols - done)
        src += BLOCK_SIZE
        dst += BLOCK_SIZE
        done += BLOCK_SIZE


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
