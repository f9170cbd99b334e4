# %% [markdown]
# # 4. Dropout
# What is kept is scaled up, the rest is 0.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """Return x / (1 - p) where keep is not 0, else 0.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    keep: (n_rows, n_cols) uint8
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.where(keep != 0, x / (1 - p), 0)


# %%
@triton.jit
def dropout_kernel(
    x_ptr,
    keep_ptr,
    y_ptr,
    x_row_stride,
    keep_row_stride,
    y_row_stride,
    n_cols,
    p,
    TILES: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """Several neighbouring tiles of one row, one after the other."""
    row = tl.program_id(0).to(tl.int64)
    for t in tl.static_range(TILES):
        cols = (tl.program_id(1) * TILES + t) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
        keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
        y = x * (keep != 0).to(tl.float32) / (1 - p)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


# %%
def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    config = dict(TILES=4, BLOCK_SIZE=256)
    grid = (n_rows, triton.cdiv(n_cols, config["TILES"] * config["BLOCK_SIZE"]))
    dropout_kernel[grid](x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, p, **config)
    return y
