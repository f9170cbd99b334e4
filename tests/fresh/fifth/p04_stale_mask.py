"""The second loop uses the mask that the last iteration of the first left behind."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    cols = tl.arange(0, BLOCK_COLS)
    row_ok = rows[:, None] < n_rows
    x_tile = x_ptr + rows[:, None] * x_row_stride + cols[None, :]
    y_tile = y_ptr + rows[:, None] * y_row_stride + cols[None, :]

    m = tl.full([BLOCK_ROWS], -3.4028234663852886e38, tl.float32)
    l = tl.full([BLOCK_ROWS], 0.0, tl.float32)
    ok = row_ok & (cols[None, :] < n_cols)
    for start in range(0, n_cols, BLOCK_COLS):
        ok = row_ok & (cols[None, :] < n_cols - start)
        x = tl.load(x_tile + start, mask=ok, other=-float("inf")).to(tl.float32)
        m_old = m
        m = tl.maximum(m_old, tl.max(x, axis=1))
        l = l * tl.exp(m_old - m) + tl.sum(tl.exp(x - m[:, None]), axis=1)

    for start in range(0, n_cols, BLOCK_COLS):
        x = tl.load(x_tile + start, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(y_tile + start, tl.exp(x - m[:, None]) / l[:, None], mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 256)
    BLOCK_ROWS = 16 if BLOCK_COLS == 256 else 4096 // BLOCK_COLS
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    softmax_kernel[grid](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=8
    )
    return y
