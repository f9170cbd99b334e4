"""Has its programs fetch one row after the other from a counter: whoever is ready takes the next."""

import torch
import triton
import triton.language as tl


@triton.jit
def _softmax(X, Y, NEXT, x_stride, y_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    row = tl.atomic_add(NEXT, 1).to(tl.int64)
    while row < n_rows:
        x = tl.load(X + row * x_stride + cols, mask=inside, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * y_stride + cols, e / tl.sum(e, axis=0), mask=inside)
        row = tl.atomic_add(NEXT, 1).to(tl.int64)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = triton.next_power_of_2(n_cols)
    warps = min(max(block // 256, 2), 32)
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    programs = min(n_rows, multiprocessors * (32 // warps))
    following = torch.zeros(1, dtype=torch.int32, device=x.device)
    _softmax[(programs,)](x, y, following, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK=block, num_warps=warps)
    return y
