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
def drop_row(x_ptr, k_ptr, y_ptr, x_stride, k_stride, y_stride, n, p, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, CHUNK)
    px = x_ptr + row * x_stride + lane
    pk = k_ptr + row * k_stride + lane
    py = y_ptr + row * y_stride + lane
    share = 1.0 - p
    for done in range(0, n, CHUNK):
        alive = lane < n
        x = tl.load(px, mask=alive, other=0.0).to(tl.float32)
        k = tl.load(pk, mask=alive, other=0)
        tl.store(py, tl.where(k != 0, x / share, 0.0), mask=alive)
        px += CHUNK
        pk += CHUNK
        py += CHUNK


def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    rows, n = x.shape
    y = torch.empty((rows, n), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    drop_row[(rows,)](x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n, p, CHUNK=512)
    return y
