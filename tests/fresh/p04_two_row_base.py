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
    first_row = tl.program_id(0) * BLOCK_ROWS
    # move the base pointers to the first row of this program, so small offsets are left
    x_ptr += first_row * x_row_stride
    y_ptr += first_row * y_row_stride
    r = tl.arange(0, BLOCK_ROWS)[:, None]
    c = tl.arange(0, BLOCK_COLS)[None, :]
    xs = x_ptr + r.to(tl.int64) * x_row_stride + c
    ys = y_ptr + r.to(tl.int64) * y_row_stride + c
    rows_left = n_rows - first_row

    m = tl.full((BLOCK_ROWS,), -1.0e30, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for k in range(tl.cdiv(n_cols, BLOCK_COLS)):
        ok = (r < rows_left) & (c < n_cols - k * BLOCK_COLS)
        t = tl.load(xs + k * BLOCK_COLS, mask=ok, other=-float("inf")).to(tl.float32)
        m2 = tl.maximum(m, tl.max(t, axis=1))
        l = l * tl.exp(m - m2) + tl.sum(tl.exp(t - m2[:, None]), axis=1)
        m = m2

    for k in range(tl.cdiv(n_cols, BLOCK_COLS)):
        ok = (r < rows_left) & (c < n_cols - k * BLOCK_COLS)
        t = tl.load(xs + k * BLOCK_COLS, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(ys + k * BLOCK_COLS, tl.exp(t - m[:, None]) / l[:, None], mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 512)
    BLOCK_ROWS = 2048 // BLOCK_COLS
    softmax_kernel[(triton.cdiv(n_rows, BLOCK_ROWS),)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS
    )
    return y
