"""Dropout over the flattened matrix."""
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


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_warps=2),
        triton.Config({"BLOCK": 512}, num_warps=4),
        triton.Config({"BLOCK": 1024}, num_warps=4),
    ],
    key=["total"],
)
@triton.jit
def dropout_flat(x_ptr, keep_ptr, y_ptr, x_stride, keep_stride, y_stride, n_cols, total, p, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    row = i // n_cols
    col = i % n_cols
    x = tl.load(x_ptr + row * x_stride + col, mask=ok).to(tl.float32)
    k = tl.load(keep_ptr + i, mask=ok)
    tl.store(y_ptr + row * y_stride + col, tl.where(k != 0, x / (1.0 - p), 0.0), mask=ok)


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    total = y.numel()
    if total == 0:
        return y
    grid = lambda meta: (triton.cdiv(total, meta["BLOCK"]),)  # noqa: E731
    dropout_flat[grid](x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, total, p)
    return y
