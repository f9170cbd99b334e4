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
def grab(base, where, limit):
    return tl.load(base + where, mask=where < limit, other=-float("inf")).to(tl.float32)


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    r = tl.program_id(0).to(tl.int64)
    src = x_ptr + r * x_row_stride
    dst = y_ptr + r * y_row_stride
    lane = tl.arange(0, BLOCK_SIZE)
    top = float("-inf")
    for s in range(0, n_cols, BLOCK_SIZE):
        top = tl.max(grab(src, s + lane, n_cols), axis=0)
    z = 0.0
    for s in range(0, n_cols, BLOCK_SIZE):
        z += tl.sum(tl.exp(grab(src, s + lane, n_cols) - top), axis=0)
    for s in range(0, n_cols, BLOCK_SIZE):
        res = tl.exp(grab(src, s + lane, n_cols) - top) / z
        tl.store(dst + s + lane, res, mask=s + lane < n_cols)


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
