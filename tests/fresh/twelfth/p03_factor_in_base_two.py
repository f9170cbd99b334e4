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
def _exp(t):
    """Return e to the power t, by way of base 2."""
    return tl.exp2(t * 1.4426950408889634)


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, reading the row twice."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)

    peak = -3.4028234663852886e38
    total = 0.0
    for begin in range(0, n_cols, BLOCK_SIZE):
        idx = begin + lanes
        x = tl.load(x_ptr + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        new_peak = tl.maximum(peak, tl.max(x, axis=0))
        shrink = tl.exp2(peak - new_peak)
        total = total * shrink + tl.sum(_exp(x - new_peak), axis=0)
        peak = new_peak

    for begin in range(0, n_cols, BLOCK_SIZE):
        idx = begin + lanes
        x = tl.load(x_ptr + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + idx, _exp(x - peak) / total, mask=idx < n_cols)


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
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 2048)
    grid = lambda meta: (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=4)
    return y
