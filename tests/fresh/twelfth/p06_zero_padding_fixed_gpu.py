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
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    start = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    in_row = offs < n_cols
    for r in range(start, n_rows, tl.num_programs(0)):
        src = x_ptr + r * x_row_stride + offs
        dst = y_ptr + r * y_row_stride + offs
        row = tl.load(src, mask=in_row, other=0.0)
        row = row.to(tl.float32)
        row = tl.exp(row - tl.max(row, axis=0))
        norm = tl.sum(row, axis=0)
        tl.store(dst, row / norm, mask=in_row)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch as many programs as the GPU holds at once, or one per row where that is less."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    sms = 108
    per_sm = 32 // num_warps
    n_programs = sms * per_sm
    if n_rows < n_programs:
        n_programs = n_rows
    softmax_kernel[(n_programs,)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
