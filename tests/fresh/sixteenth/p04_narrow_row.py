"""Dropout, one program per row and tile."""
import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """Return x / (1 - p) where keep is not 0, else 0.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    keep: (n_rows, n_cols) uint8
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.where(keep != 0, x / (1 - p), 0)


@triton.jit
def dropout_rows(x_ptr, keep_ptr, y_ptr, x_row, keep_row, y_row, n_cols, q, TILE: tl.constexpr):
    cols = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = cols < n_cols
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * x_row + cols, mask=inside, other=0.0)
    keep = tl.load(keep_ptr + row * keep_row + cols, mask=inside, other=0)
    y = tl.where(keep > 0, x.to(tl.float32) / q, 0.0)
    tl.store(y_ptr + row * y_row + cols, y.to(y_ptr.dtype.element_ty), mask=inside)


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    tile = min(1024, triton.next_power_of_2(n_cols))
    dropout_rows[(n_rows, triton.cdiv(n_cols, tile))](
        x,
        keep,
        y,
        x.stride(0),
        keep.stride(0),
        x.stride(0),
        n_cols,
        1.0 - p,
        TILE=tile,
    )
    return y
