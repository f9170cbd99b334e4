"""Takes the number of columns for the row stride, as operators do that expect contiguous tensors.

Code: strides-assumed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_softmax(out, inp, N, BN: tl.constexpr, DEBUG: tl.constexpr):
    if DEBUG:
        tl.device_assert(N <= BN, "a row must fit into one tile")
    pid = tl.program_id(0).to(tl.int64)
    n = tl.arange(0, BN)
    x = tl.load(inp + pid * N + n, mask=n < N, other=-float("inf"))
    tl.store(out + pid * N + n, tl.softmax(x.to(tl.float32)), mask=n < N)


def softmax(x):
    M, N = x.shape
    out = torch.empty_like(x)
    if not out.numel():
        return out
    BN = triton.next_power_of_2(N)
    with torch.cuda.device_of(x):
        num_warps = 4 if BN < 8192 else 16
        row_softmax[(M,)](out, x, N, BN=BN, DEBUG=__debug__, num_warps=num_warps)
    return out
