import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return x with each pair of elements turned.

    x: (n, d) float32, float16 or bfloat16, d even
    cos, sin: (n, d / 2) same dtype
    returns: (n, d), dtype of x
    """
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1)


@triton.jit
def rope_tile(
    x_ptr,
    cos_ptr,
    sin_ptr,
    y_ptr,
    n,
    half,
    sx,
    sc,
    ss,
    sy,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    r = tl.arange(0, ROWS)
    rows = tl.program_id(0).to(tl.int64) * ROWS + r
    cols = tl.arange(0, COLS)
    m = (rows < n)[:, None] & (cols < half)[None, :]
    left = tl.load(x_ptr + rows[:, None] * sx + cols[None, :], mask=m).to(tl.float32)
    right = tl.load(x_ptr + rows[:, None] * sx + half + cols[None, :], mask=m).to(tl.float32)
    c = tl.load(cos_ptr + r[:, None] * sc + cols[None, :], mask=m).to(tl.float32)
    s = tl.load(sin_ptr + rows[:, None] * ss + cols[None, :], mask=m).to(tl.float32)
    out = y_ptr + rows[:, None] * sy + cols[None, :]
    tl.store(out, left * c - right * s, mask=m)
    tl.store(out + half, right * c + left * s, mask=m)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    half = d // 2
    cols = triton.next_power_of_2(half)
    rows = max(1, min(16, 2048 // cols))
    rope_tile[(triton.cdiv(n, rows),)](
        x, cos, sin, y, n, half, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), ROWS=rows, COLS=cols
    )
    return y
