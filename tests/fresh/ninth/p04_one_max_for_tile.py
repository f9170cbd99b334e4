import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    first = tl.program_id(0).to(tl.int64) * BLOCK_ROWS
    r = first + tl.arange(0, BLOCK_ROWS)
    r_ok = r < n_rows
    top = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    total = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        c = start + tl.arange(0, BLOCK_COLS)
        ok = r_ok[:, None] & (c < n_cols)[None, :]
        x = tl.load(x_ptr + r[:, None] * x_row_stride + c[None, :], mask=ok, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top[:, None]), axis=1)
        top = new_top
    for start in range(0, n_cols, BLOCK_COLS):
        c = start + tl.arange(0, BLOCK_COLS)
        ok = r_ok[:, None] & (c < n_cols)[None, :]
        x = tl.load(x_ptr + r[:, None] * x_row_stride + c[None, :], mask=ok, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - top[:, None]) / total[:, None]
        tl.store(y_ptr + r[:, None] * y_row_stride + c[None, :], y, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 1024)
    BLOCK_ROWS = max(2048 // BLOCK_COLS, 2)
    grid = lambda meta: (triton.cdiv(n_rows, meta["BLOCK_ROWS"]),)
    softmax_kernel[grid](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=4
    )
    return y
