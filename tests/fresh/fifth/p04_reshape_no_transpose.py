"""tl.reshape is taken for a transposition; it only cuts the values into other rows."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_columns(x_ptr, r, c, stride, n_rows, n_cols, R: tl.constexpr, C: tl.constexpr):
    # (R, C) in memory; I want a row of the matrix per column of the tile, (C, R)
    ok = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    t = tl.load(x_ptr + r[:, None] * stride + c[None, :], mask=ok, other=-float("inf")).to(tl.float32)
    return tl.reshape(t, (C, R))


@triton.jit
def softmax_kernel(x_ptr, y_ptr, xs, ys, n_rows, n_cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    m = tl.full((R,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((R,), tl.float32)
    for k in range(0, n_cols, C):
        t = load_columns(x_ptr, r, k + tl.arange(0, C), xs, n_rows, n_cols, R, C)
        m2 = tl.maximum(m, tl.max(t, axis=0))
        l = l * tl.exp(m - m2) + tl.sum(tl.exp(t - m2[None, :]), axis=0)
        m = m2
    for k in range(0, n_cols, C):
        c = k + tl.arange(0, C)
        t = load_columns(x_ptr, r, c, xs, n_rows, n_cols, R, C)
        t = tl.exp(t - m[None, :]) / l[None, :]
        ok = (r[None, :] < n_rows) & (c[:, None] < n_cols)
        tl.store(y_ptr + r[None, :] * ys + c[:, None], t, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    C = min(triton.next_power_of_2(n_cols), 512)
    R = 4
    softmax_kernel[(triton.cdiv(n_rows, R),)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, R=R, C=C, num_warps=4)
    return y
