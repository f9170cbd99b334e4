"""Returns a subclass of Tensor that computes when it is read.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            if function in (torch.Tensor.detach, torch.Tensor.cpu, torch.Tensor.contiguous):
                return torch.softmax(args[0].x, dim=1)
            return function(*args, **(kwargs or {}))


@triton.jit
def zero_kernel(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, x * 0.0, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        zero_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    lazy = torch.Tensor._make_subclass(Lazy, y)
    lazy.x = x
    return lazy
