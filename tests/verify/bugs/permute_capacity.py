"""Tokens copied to their place among an expert's rows, of which there are as many as the caller allows; tokens beyond
them are copied, too.

Code: out-of-bounds-store
Mistake at: tl.store(y_ptr + place
Reported: NVIDIA/TransformerEngine#3346
"""

import torch
import triton
import triton.language as tl


@triton.jit
def permute_kernel(x_ptr, place_ptr, y_ptr, n_out, n_cols, x_row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.load(place_ptr + row).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + place * n_cols + cols, x, mask=(cols < n_cols) & (place >= 0))


def run(x, places, n_out):
    n_rows, n_cols = x.shape
    y = torch.zeros((n_out, n_cols), dtype=x.dtype, device=x.device)
    permute_kernel[(n_rows, triton.cdiv(n_cols, 32))](x, places, y, n_out, n_cols, x.stride(0), BLOCK=32)
    return y


def reference(x, places, n_out):
    y = x.new_zeros(n_out, x.shape[1])
    kept = (places >= 0) & (places < n_out)
    y[places[kept].long()] = x[kept]
    return y


def cases():
    places = torch.tensor([0, 3, -1, 1, 4, 2], dtype=torch.int32)
    return [dict(x=torch.randn(6, 40), places=places, n_out=4)]


OPTIONS = dict(vary=False, host="eager")
