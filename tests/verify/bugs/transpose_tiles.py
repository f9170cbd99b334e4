"""A transpose in tiles of 32 x 32 without any mask.

Code: out-of-bounds-load, out-of-bounds-store, race-write-write
Mistake at: tile = tl.load(x_ptr
Reported: NVlabs/COAT#19
"""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, stride_xm, stride_xn, stride_yn, BLOCK: tl.constexpr):
    m = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)

    tile = tl.load(x_ptr + m[:, None] * stride_xm + n[None, :] * stride_xn)
    tl.store(y_ptr + n[:, None] * stride_yn + m[None, :], tl.trans(tile))


def run(x):
    M, N = x.shape
    y = torch.empty((N, M), dtype=x.dtype, device=x.device)
    transpose_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, y, M, N, *x.stride(), y.stride(0), BLOCK=32)
    return y


def reference(x):
    return x.T.clone()


def cases():
    return [dict(x=torch.randn(64, 32))]
