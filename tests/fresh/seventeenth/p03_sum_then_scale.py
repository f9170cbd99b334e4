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
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, reading the row twice."""
    pid = tl.program_id(0).to(tl.int64)
    xp = x_ptr + pid * x_row_stride
    yp = y_ptr + pid * y_row_stride
    m_run = -3.4028234663852886e38
    l_run = 0.0
    for j in range(0, n_cols, BLOCK_SIZE):
        offs = j + tl.arange(0, BLOCK_SIZE)
        t = tl.load(xp + offs, mask=offs < n_cols, other=0.0).to(tl.float32)  # pass 1
        m_tile = tl.max(t, axis=0)
        m_next = tl.maximum(m_run, m_tile)
        scale = tl.exp(m_run - m_next)
        l_run = (l_run + tl.sum(tl.exp(t - m_next), axis=0)) * scale
        m_run = m_next
    for j in range(0, n_cols, BLOCK_SIZE):
        offs = j + tl.arange(0, BLOCK_SIZE)
        keep = offs < n_cols
        t = tl.load(xp + offs, mask=keep, other=-float("inf")).to(tl.float32)  # pass 2
        tl.store(yp + offs, tl.exp(t - m_run) / l_run, mask=keep)


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
