"""Two: n_cols and n_rows are passed in the wrong order, and the maximum of earlier rows is carried into later ones."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    column = tl.arange(0, BLOCK_SIZE)
    biggest = -float("inf")
    for row in tl.range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
        values = tl.load(
            x_ptr + row * x_row_stride + column,
            mask=column < n_cols,
            other=-float("inf"),
        ).to(tl.float32)
        biggest = tl.maximum(biggest, tl.max(values, axis=0))
        values = tl.exp(values - biggest)
        total = tl.sum(values, axis=0)
        tl.store(y_ptr + row * y_row_stride + column, values / total, mask=column < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    size = triton.next_power_of_2(n_cols)
    num_warps = min(max(size // 256, 2), 32)
    sm = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, sm * (32 // num_warps)),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, n_rows, BLOCK_SIZE=size, num_warps=num_warps)
    return y
