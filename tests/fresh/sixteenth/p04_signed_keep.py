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
def load_keep(ptr, mask):
    k = tl.load(ptr, mask=mask, other=0).to(tl.int8)
    return k > 0


@triton.jit
def dropout_fwd(
    x_ptr, keep_ptr, y_ptr, x_row_stride, keep_row_stride, y_row_stride, n_cols, p, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    kept = load_keep(keep_ptr + row * keep_row_stride + cols, mask)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + cols, tl.where(kept, x / (1 - p), 0.0), mask=mask)


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    dropout_fwd[(n_rows, triton.cdiv(n_cols, 1024))](
        x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, p, BLOCK_SIZE=1024
    )
    return y
