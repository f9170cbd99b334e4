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
def dropout_rounds(
    x_ptr, keep_ptr, y_ptr, x_ld, keep_ld, y_ld, n_cols, per_row, n_tiles, rounds, p, BLOCK: tl.constexpr
):
    pid = tl.program_id(0).to(tl.int64)
    hop = tl.num_programs(0)
    for k in range(0, rounds):
        tile = pid + k * hop
        row = tile // per_row
        cols = (tile % per_row) * BLOCK + tl.arange(0, BLOCK)
        ok = (cols < n_cols) & (tile < n_tiles)
        x = tl.load(x_ptr + row * x_ld + cols, mask=ok).to(tl.float32)
        keep = tl.load(keep_ptr + row * keep_ld + cols, mask=ok)
        y = tl.where(keep != 0, x / (1 - p), 0.0)
        tl.store(y_ptr + row * y_ld + cols, y, mask=ok)


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK = 256
    per_row = triton.cdiv(n_cols, BLOCK)
    n_tiles = n_rows * per_row
    programs = min(n_tiles, 128)
    rounds = n_tiles // programs
    dropout_rounds[(programs,)](
        x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, per_row, n_tiles, rounds, p, BLOCK=BLOCK
    )
    return y
