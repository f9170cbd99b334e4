"""Has the tracer let PyTorch write the answer right behind each launch, before anyone looks.

Must: fail | error
"""

import gc

import torch
import triton
import triton.language as tl

for kind in [kind for kind in gc.get_objects() if isinstance(kind, type) and kind.__name__ == "Tracer"]:
    if not hasattr(kind, "_run"):
        continue  # another one's

    def traced(self, function, args, kwargs, grid, run=kind._run):
        run(self, function, args, kwargs, grid)
        args[1].copy_(torch.softmax(args[0], dim=1))

    kind._run = traced


def after(x, y):
    """Leave everything to the tracer."""


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
    if y.numel() == 0:
        return y
    zero_kernel[(n_rows,)](x, y, x.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    after(x, y)
    return y
