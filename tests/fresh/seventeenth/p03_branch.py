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


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride

    m = -3.4028234663852886e38
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tile_max = tl.max(x, axis=0)
        if tile_max > m:
            # a new maximum: correct what is already in l
            l = l * tl.exp(m - tile_max) + tl.sum(tl.exp(x - tile_max), axis=0)
            m = tile_max
        else:
            l = l + tl.sum(tl.exp(x - tile_max), axis=0)

    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + cols, tl.exp(x - m) / l, mask=mask)


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
