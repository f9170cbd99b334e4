import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the sum of two vectors, element by element."""
    return x + y


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    idx = pid * BLOCK + tl.arange(0, BLOCK)
    inside = idx <= n_elements
    x = tl.load(x_ptr + idx, mask=inside, eviction_policy="evict_first")
    y = tl.load(y_ptr + idx, mask=inside, eviction_policy="evict_first")
    tl.store(z_ptr + idx, plus(x, y), mask=inside)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    n_elements = z.numel()
    if n_elements == 0:
        return z
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK"]),)
    add_kernel[grid](x, y, z, n_elements, BLOCK=1024)
    return z
