import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    """A program has four groups of BLOCK_ROWS rows, one after the other."""
    pid = tl.program_id(0).to(tl.int64)
    col_lane = tl.arange(0, BLOCK_COLS)[None, :]
    run_max = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    run_sum = tl.zeros((BLOCK_ROWS,), tl.float32)

    for g in range(4):
        r = ((pid * 4 + g) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
        for c0 in range(0, n_cols, BLOCK_COLS):
            ok = (r < n_rows) & (c0 + col_lane < n_cols)
            x = tl.load(x_ptr + r * x_row_stride + c0 + col_lane, mask=ok, other=-float("inf")).to(tl.float32)
            new_max = tl.maximum(run_max, tl.max(x, axis=1))
            run_sum = run_sum * tl.exp(run_max - new_max) + tl.sum(tl.exp(x - new_max[:, None]), axis=1)
            run_max = new_max
        for c0 in range(0, n_cols, BLOCK_COLS):
            ok = (r < n_rows) & (c0 + col_lane < n_cols)
            x = tl.load(x_ptr + r * x_row_stride + c0 + col_lane, mask=ok, other=-float("inf")).to(tl.float32)
            p = tl.exp(x - run_max[:, None]) / run_sum[:, None]
            tl.store(y_ptr + r * y_row_stride + c0 + col_lane, p, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 1024)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    grid = (triton.cdiv(n_rows, 4 * BLOCK_ROWS),)
    softmax_kernel[grid](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=4
    )
    return y
