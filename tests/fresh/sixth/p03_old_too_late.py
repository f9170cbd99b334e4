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
    row = tl.program_id(0).to(tl.int64)
    src = x_ptr + row * x_row_stride
    dst = y_ptr + row * y_row_stride
    lane = tl.arange(0, BLOCK_SIZE)
    peak = -3.4028234663852886e+38
    mass = 0.0
    at = 0
    while at < n_cols:
        piece = tl.load(src + at + lane, mask=at + lane < n_cols, other=-float("inf")).to(tl.float32)
        peak = tl.maximum(peak, tl.max(piece, axis=0))
        before = peak
        mass = mass * tl.exp(before - peak) + tl.sum(tl.exp(piece - peak), axis=0)
        at += BLOCK_SIZE
    at = 0
    while at < n_cols:
        piece = tl.load(src + at + lane, mask=at + lane < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(dst + at + lane, tl.exp(piece - peak) / mass, mask=at + lane < n_cols)
        at += BLOCK_SIZE


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
