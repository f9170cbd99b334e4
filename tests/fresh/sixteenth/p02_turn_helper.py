# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return x with each pair of elements turned.

    x: (n, d) float32, float16 or bfloat16, d even
    cos, sin: (n, d / 2) same dtype
    returns: (n, d), dtype of x
    """
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1)


# %%
@triton.jit
def turn(along, across, c, s):
    return along * c - across * s


@triton.jit
def fetch(base, offsets, limit):
    return tl.load(base + offsets, mask=offsets < limit, other=0.0).to(tl.float32)


@triton.jit
def rotary_kernel(
    x_ptr,
    cos_ptr,
    sin_ptr,
    y_ptr,
    x_row_stride,
    cos_row_stride,
    sin_row_stride,
    y_row_stride,
    half,
    BLOCK_SIZE: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    first = fetch(x_ptr + i * x_row_stride, cols, half)
    second = fetch(x_ptr + i * x_row_stride + half, cols, half)
    c = fetch(cos_ptr + i * cos_row_stride, cols, half)
    s = fetch(sin_ptr + i * sin_row_stride, cols, half)
    top = turn(first, second, c, s)
    bottom = turn(second, first, s, -c)
    tl.store(y_ptr + i * y_row_stride + cols, top, mask=cols < half)
    tl.store(y_ptr + i * y_row_stride + half + cols, bottom, mask=cols < half)


# %%
def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    config = {"BLOCK_SIZE": triton.next_power_of_2(d // 2), "num_warps": 2}
    rotary_kernel[(n,)](
        x, cos, sin, y, x.stride(0), cos.stride(0), sin.stride(0), y.stride(0), d // 2, **config
    )
    return y
