import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    y_ptr,
    x_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    row = tl.program_id(0).to(tl.int64)
    step = tl.num_programs(0)
    cols = tl.arange(0, BLOCK_SIZE)
    while row < n_rows:
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        x -= tl.max(x, axis=0)
        numerator = tl.exp(x)
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=cols < n_cols)
        row += step


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch as many programs as the GPU holds at once, or one per row where that is less."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = triton.next_power_of_2(n_cols)
    warps = min(max(block // 256, 2), 32)
    processors = torch.cuda.get_device_properties(x.device).multi_processor_count

    def grid(meta):
        return (min(n_rows, processors * (32 // warps)),)

    softmax_kernel[grid](
        y,
        x,
        y.stride(0),
        x.stride(0),
        n_rows,
        n_cols,
        BLOCK_SIZE=block,
        num_warps=warps,
    )
    return y
