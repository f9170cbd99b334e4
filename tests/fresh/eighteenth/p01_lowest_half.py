import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


PAD: tl.constexpr = tl.constexpr(-65504.0)


@triton.jit
def padded_row(row_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    cols = tl.arange(0, BLOCK_SIZE)
    values = tl.load(row_ptr + cols, mask=cols < n_cols).to(tl.float32)
    return tl.where(cols < n_cols, values, PAD)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = padded_row(x_ptr + row * x_row_stride, n_cols, BLOCK_SIZE)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
