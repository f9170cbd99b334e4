import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    cols = tl.arange(0, BLOCK_COLS)
    src = x_ptr + rows[:, None] * x_row_stride + cols[None, :]
    dst = y_ptr + rows[:, None] * y_row_stride + cols[None, :]
    row_ok = (rows < n_rows)[:, None]

    m = tl.full((BLOCK_ROWS, 1), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS, 1), tl.float32)
    p = src
    left = n_cols
    while left > 0:
        x = tl.load(p, mask=row_ok & (cols[None, :] < left), other=-float("inf")).to(tl.float32)
        m_next = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
        l = l * tl.exp(m - m_next) + tl.sum(tl.exp(x - m_next), axis=1, keep_dims=True)
        m = m_next
        p += BLOCK_COLS
        left -= BLOCK_COLS

    left = n_cols
    while left > 0:
        ok = row_ok & (cols[None, :] < left)
        x = tl.load(src, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(dst, tl.exp(x - m) / l, mask=ok)
        src += BLOCK_COLS
        left -= BLOCK_COLS


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 512)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    softmax_kernel[grid](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=4
    )
    return y
