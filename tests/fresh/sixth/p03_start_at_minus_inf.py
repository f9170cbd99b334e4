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
def fold(m, d, tile):
    m2 = tl.maximum(m, tl.max(tile, axis=0))
    d2 = d * tl.exp(m - m2) + tl.sum(tl.exp(tile - m2), axis=0)
    return m2, d2


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
    x_ptr += pid * x_row_stride
    y_ptr += pid * y_row_stride
    m_run = -float("inf")
    d_run = 0.0
    for j in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        ids = j * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        t = tl.load(x_ptr + ids, mask=ids < n_cols, other=-float("inf")).to(tl.float32)
        m_run, d_run = fold(m_run, d_run, t)
    scale = 1.0 / d_run
    for j in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        ids = j * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        t = tl.load(x_ptr + ids, mask=ids < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + ids, tl.exp(t - m_run) * scale, mask=ids < n_cols)


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
