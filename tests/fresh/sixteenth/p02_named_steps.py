# %% [markdown]
# # 2. Rotary embedding

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
def rotate_row(
    x_ptr,
    cos_ptr,
    sin_ptr,
    y_ptr,
    half,
    x_step,
    cos_step,
    sin_step,
    y_step,
    LANES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, LANES)
    on = lane < half
    re = tl.load(x_ptr + row * x_step + lane, mask=on, other=0.0).to(tl.float32)
    im = tl.load(x_ptr + row * x_step + half + lane, mask=on, other=0.0).to(tl.float32)
    cos = tl.load(cos_ptr + row * cos_step + lane, mask=on, other=0.0).to(tl.float32)
    sin = tl.load(sin_ptr + row * sin_step + half + lane, mask=on, other=0.0).to(tl.float32)
    out_re = re * cos - im * sin
    out_im = im * cos + re * sin
    tl.store(y_ptr + row * y_step + lane, out_re, mask=on)
    tl.store(y_ptr + row * y_step + half + lane, out_im, mask=on)


# %%
def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    half = d // 2
    steps = dict(
        x_step=y.stride(0),
        cos_step=cos.stride(0),
        sin_step=sin.stride(0),
        y_step=y.stride(0),
    )
    rotate_row[(n,)](x, cos, sin, y, half, **steps, LANES=triton.next_power_of_2(half))
    return y
