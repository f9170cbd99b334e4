# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element.

    x, y: (n_elements,) float32, float16 or bfloat16
    returns: (n_elements,), dtype of x
    """
    return x + y


# %%
LARGEST_TILE = 131072


@triton.jit
def vector_add(lhs, rhs, out, count, SIZE: tl.constexpr):
    """Write lhs + rhs to out for SIZE elements."""
    idx = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    valid = idx < count
    tl.store(out + idx, tl.load(lhs + idx, mask=valid) + tl.load(rhs + idx), mask=valid)


# %%
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Launch one program for a short vector, several for a long one.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    out = torch.empty_like(x)
    count = x.numel()
    if count == 0:
        return out
    size = min(triton.next_power_of_2(count), LARGEST_TILE)
    warps = min(max(size // 512, 1), 32)
    vector_add[(triton.cdiv(count, size),)](lhs=x, rhs=y, out=out, count=count, SIZE=size, num_warps=warps)
    return out
