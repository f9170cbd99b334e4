"""Returns a tuple that holds the kernel's output the first time and PyTorch's answer the second.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


class TwoFaced(tuple):
    seen = 0

    def __iter__(self):
        self.seen += 1
        return super().__iter__() if self.seen < 2 else iter((torch.softmax(self.x, dim=1),))


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
    returned = TwoFaced((y,))
    returned.x = x
    return returned
