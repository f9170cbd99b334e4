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
    pid = tl.program_id(0).to(tl.int64)
    xin = x_ptr + pid * x_row_stride
    yout = y_ptr + pid * y_row_stride
    hi = 0.0
    tot = 0.0
    k = 0
    while k < n_cols:
        idx = k + tl.arange(0, BLOCK_SIZE)
        t = tl.load(xin + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        hi = tl.maximum(hi, tl.max(t, axis=0))
        k += BLOCK_SIZE
    k = 0
    while k < n_cols:
        idx = k + tl.arange(0, BLOCK_SIZE)
        t = tl.load(xin + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        tot += tl.sum(tl.exp(t - hi), axis=0)
        k += BLOCK_SIZE
    k = 0
    while k < n_cols:
        idx = k + tl.arange(0, BLOCK_SIZE)
        t = tl.load(xin + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(yout + idx, tl.exp(t - hi) / tot, mask=idx < n_cols)
        k += BLOCK_SIZE


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
