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
def rope_grid(x_ptr, cos_ptr, sin_ptr, y_ptr, half, strides_x, strides_c, strides_s, strides_y, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = j < half
    p = x_ptr + row * strides_x + j
    q = y_ptr + row * strides_y + j
    a = tl.load(p, mask=inside).to(tl.float32)
    b = tl.load(p + half, mask=inside).to(tl.float32)
    c = tl.load(cos_ptr + row * strides_c + j, mask=inside).to(tl.float32)
    s = tl.load(sin_ptr + row * strides_s + j, mask=inside).to(tl.float32)
    tl.store(q, a * c - b * s, mask=inside)
    tl.store(q + half, a * s + b * c, mask=inside)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    half = d // 2
    TILE = 32
    grid = (n, max(1, half // TILE))
    rope_grid[grid](x, cos, sin, y, half, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), TILE=TILE)
    return y
