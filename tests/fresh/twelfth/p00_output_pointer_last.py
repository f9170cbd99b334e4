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
@triton.heuristics({"BLOCK": lambda args: 256 if args["n"] < 65536 else 1024})
@triton.jit
def _sum_into(out_ptr, a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    """Write a + b to out for one block of elements."""
    where = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    ok = where < n
    a = tl.load(a_ptr + where, mask=ok, other=0.0)
    b = tl.load(b_ptr + where, mask=ok, other=0.0)
    tl.store(out_ptr + where, a + b, mask=ok)


# %%
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x + y.

    x, y: (n_elements,) float32, float16 or bfloat16, contiguous
    returns: (n_elements,), dtype of x
    """
    n = x.numel()
    z = torch.empty_like(x)
    if n == 0:
        return z

    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    _sum_into[grid](x, y, z, n)
    return z
