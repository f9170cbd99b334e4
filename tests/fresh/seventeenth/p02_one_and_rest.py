# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


# %%
@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, tile by tile."""
    i = tl.program_id(0).to(tl.int64)
    x_ptr = x_ptr + i * x_row_stride
    y_ptr = y_ptr + i * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)

    m = -float("inf")
    for start in range(0, n_cols - BLOCK_SIZE, BLOCK_SIZE):
        offs = start + lanes
        x = tl.load(x_ptr + offs, mask=offs < n_cols, other=-float("inf"))
        m = tl.maximum(m, tl.max(x.to(tl.float32), axis=0))

    denominator = 1.0
    for begin in range(0, n_cols, BLOCK_SIZE):
        offs = begin + lanes
        x = tl.load(x_ptr + offs, mask=offs < n_cols, other=-float("inf"))
        denominator += tl.sum(tl.exp(x.to(tl.float32) - m), axis=0)

    for at in range(0, n_cols, BLOCK_SIZE):
        offs = at + lanes
        x = tl.load(x_ptr + offs, mask=offs < n_cols, other=-float("inf"))
        tl.store(y_ptr + offs, tl.exp(x.to(tl.float32) - m) / denominator, mask=offs < n_cols)


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
