"""The row fetched ahead replaces the current one before that has been stored."""
import torch
import triton
import triton.language as tl


@triton.jit
def get(x_ptr, row, stride, n_rows, n_cols, B: tl.constexpr):
    c = tl.arange(0, B)
    c = tl.where(row < n_rows, c, n_cols)  # no row, no columns
    return tl.load(x_ptr + row * stride + c, mask=c < n_cols, other=-float("inf"))


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    current = get(x_ptr, row, x_row_stride, n_rows, n_cols, B)
    while row < n_rows:
        # ask for the next row now, so that it is there when this one is done
        following = row + tl.num_programs(0)
        ahead = get(x_ptr, following, x_row_stride, n_rows, n_cols, B)
        current = ahead
        f = current.to(tl.float32)
        f = tl.exp(f - tl.max(f, axis=0))
        f = f / tl.sum(f, axis=0)
        tl.store(y_ptr + row * y_row_stride + c, f, mask=c < n_cols)
        row = following


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    B = triton.next_power_of_2(n_cols)
    num_warps = min(max(B // 256, 2), 32)
    per_sm = 32 // num_warps
    grid = (min(n_rows, per_sm * torch.cuda.get_device_properties(x.device).multi_processor_count),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, B=B, num_warps=num_warps)
    return y
