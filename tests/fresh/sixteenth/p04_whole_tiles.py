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


@triton.heuristics(
    {
        "WHOLE": lambda args: args["n_cols"] % 128 == 0,
    }
)
@triton.jit
def dropout_whole(x_ptr, keep_ptr, y_ptr, sx, sk, sy, n_cols, p, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x_at = x_ptr + row * sx + col
    keep_at = keep_ptr + row * sk + col
    y_at = y_ptr + row * sy + col
    if WHOLE:
        x = tl.load(x_at).to(tl.float32)
        keep = tl.load(keep_at)
        tl.store(y_at, tl.where(keep != 0, x / (1 - p), 0.0))
    else:
        x = tl.load(x_at, mask=col < n_cols, other=0.0).to(tl.float32)
        keep = tl.load(keep_at, mask=col < n_cols, other=0)
        tl.store(y_at, tl.where(keep != 0, x / (1 - p), 0.0), mask=col < n_cols)


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK = 256
    dropout_whole[(n_rows, triton.cdiv(n_cols, BLOCK))](
        x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, p, BLOCK=BLOCK
    )
    return y
