"""Asserts what it expects of its argument, as kernels in libraries do.

Must: pass
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    assert isinstance(x, torch.Tensor), type(x)
    assert x.is_cuda or True  # noqa: SIM222
    assert x.dim() == 2
    assert x.stride(-1) == 1 or x.shape[-1] < 2
    assert x.dtype in (torch.float32, torch.float16, torch.bfloat16)
    assert not x.requires_grad
    with torch.no_grad():
        y = torch.empty(x.size(), dtype=x.dtype, device=x.device)
    if not y.numel():
        return y
    n_rows, n_cols = x.size(0), x.size(1)
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    softmax_kernel[n_rows, 1, 1](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y.view(n_rows, n_cols)
