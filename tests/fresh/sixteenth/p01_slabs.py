# %% [markdown]
# # 1. RMS norm with a weight: a slab of neighbouring rows per program

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Return every row over its root mean square, times the weight.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    weight: (n_cols,) same dtype
    returns: (n_rows, n_cols), dtype of x
    """
    scale = torch.rsqrt(x.float().square().mean(dim=1, keepdim=True) + eps)
    return (x * scale * weight).to(x.dtype)


# %%
@triton.jit
def slab_kernel(x_ptr, weight_ptr, y_ptr, sx, sy, n_rows, n_cols, slab, eps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    begin = tl.program_id(0) * slab
    end = tl.minimum(begin + slab, n_rows)
    for i in range(begin, end):
        row = i.to(tl.int64)
        x = tl.load(x_ptr + row * sx + cols, mask=mask, other=0.0).to(tl.float32)
        rms = tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
        tl.store(y_ptr + row * sx + cols, x * weight / rms, mask=mask)


# %%
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    programs = min(n_rows, 48)
    slab = n_rows // programs
    slab_kernel[(programs,)](
        x, weight, y, x.stride(0), y.stride(0), n_rows, n_cols, slab, eps, BLOCK=triton.next_power_of_2(n_cols)
    )
    return y
