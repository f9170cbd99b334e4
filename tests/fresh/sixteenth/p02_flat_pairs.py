"""Rotary embedding over a flat list of pairs."""
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
def rotate_flat(x_ptr, cos_ptr, sin_ptr, y_ptr, x_stride, cos_stride, sin_stride, half, n_pairs, BLOCK: tl.constexpr):
    idx = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = idx < n_pairs
    row = (idx // half).to(tl.int64)
    col = idx % half
    x1 = tl.load(x_ptr + row * x_stride + col, mask=mask).to(tl.float32)
    x2 = tl.load(x_ptr + row * x_stride + col + half, mask=mask).to(tl.float32)
    c = tl.load(cos_ptr + row * cos_stride + col, mask=mask).to(tl.float32)
    s = tl.load(sin_ptr + row * sin_stride + col, mask=mask).to(tl.float32)
    # y is contiguous
    out = y_ptr + row * half * 2 + col
    tl.store(out, x1 * c - x2 * s, mask=mask)
    tl.store(out + half, x2 * c + x1 * s, mask=mask)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    half = d // 2
    n_pairs = n * half
    if n_pairs == 0:
        return y
    BLOCK = 512
    grid = (triton.cdiv(n_pairs, BLOCK),)
    rotate_flat[grid](x, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), half, n_pairs, BLOCK=BLOCK)
    return y
