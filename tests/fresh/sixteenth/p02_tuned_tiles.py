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


@triton.autotune(configs=[triton.Config({"ROWS": 8}, num_warps=4)], key=["half"])
@triton.jit
def rope_tuned(
    x_ptr, cos_ptr, sin_ptr, y_ptr, n, half, x_ld, cos_ld, sin_ld, y_ld, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    row_ok = rows < n
    ok = row_ok & (cols < half)
    x0 = tl.load(x_ptr + rows * x_ld + cols, mask=ok, other=0.0).to(tl.float32)
    x1 = tl.load(x_ptr + rows * x_ld + cols + half, mask=ok, other=0.0).to(tl.float32)
    co = tl.load(cos_ptr + rows * cos_ld + cols, mask=ok, other=0.0).to(tl.float32)
    si = tl.load(sin_ptr + rows * sin_ld + cols, mask=ok, other=0.0).to(tl.float32)
    tl.store(y_ptr + rows * y_ld + cols, x0 * co - x1 * si, mask=ok)
    tl.store(y_ptr + rows * y_ld + cols + half, x1 * co + x0 * si, mask=row_ok)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    half = d // 2

    def grid(meta):
        return (triton.cdiv(n, meta["ROWS"]),)

    rope_tuned[grid](
        x,
        cos,
        sin,
        y,
        n,
        half,
        x.stride(0),
        half,
        sin.stride(0),
        y.stride(0),
        BLOCK=triton.next_power_of_2(half),
    )
    return y
