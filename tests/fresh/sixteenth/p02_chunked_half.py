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
def rope_chunks(x_ptr, cos_ptr, sin_ptr, y_ptr, d, x_row, cos_row, sin_row, y_row, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    half = d // 2
    x_ptr += row * x_row
    y_ptr += row * y_row
    cos_ptr += row * cos_row
    sin_ptr += row * sin_row
    for first in range(0, half, CHUNK):
        j = first + tl.arange(0, CHUNK)
        ok = j < d
        u = tl.load(x_ptr + j, mask=ok, other=0.0).to(tl.float32)
        v = tl.load(x_ptr + half + j, mask=ok, other=0.0).to(tl.float32)
        cs = tl.load(cos_ptr + j, mask=ok, other=1.0).to(tl.float32)
        sn = tl.load(sin_ptr + j, mask=ok, other=0.0).to(tl.float32)
        tl.store(y_ptr + j, u * cs - v * sn, mask=ok)
        tl.store(y_ptr + half + j, v * cs + u * sn, mask=ok)


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = x.new_empty((n, d))
    if y.numel() == 0:
        return y
    rope_chunks[(n,)](x, cos, sin, y, d, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), CHUNK=64)
    return y
