# %% [markdown]
# # 2. Rotary embedding: both halves in one tile of two columns

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
def rotary_split(x_ptr, cos_ptr, sin_ptr, y_ptr, x_step, cos_step, sin_step, y_step, half, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    side = tl.arange(0, 2)
    at = lane[:, None] * 2 + side[None, :]
    ok = lane < half
    ok2 = tl.broadcast_to(ok[:, None], (BLOCK, 2))
    pair = tl.load(x_ptr + row * x_step + at, mask=ok2, other=0.0).to(tl.float32)
    cos = tl.load(cos_ptr + row * cos_step + lane, mask=ok, other=0.0).to(tl.float32)
    sin = tl.load(sin_ptr + row * sin_step + lane, mask=ok, other=0.0).to(tl.float32)
    a, b = tl.split(pair)
    turned = tl.join(a * cos - b * sin, b * cos + a * sin)
    tl.store(y_ptr + row * y_step + at, turned, mask=ok2)


# %%
def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK = max(16, triton.next_power_of_2(d // 2))
    steps = [t.stride(0) for t in (x, cos, sin, y)]
    rotary_split[(n,)](x, cos, sin, y, *steps, d // 2, BLOCK=BLOCK)
    return y
