"""Wraps the kernel in an autograd function: the gradient of a sum is handed on as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def _add_fwd(X, Y, OUT, numel, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    in_range = idx < numel
    a = tl.load(X + idx, mask=in_range)
    b = tl.load(Y + idx, mask=in_range)
    tl.store(OUT + idx, a + b, mask=in_range)


class _Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        out = torch.empty_like(x)
        numel = out.numel()
        if numel > 0:
            BLOCK = min(triton.next_power_of_2(numel), 4096)
            _add_fwd[(triton.cdiv(numel, BLOCK),)](x, y, out, numel, BLOCK=BLOCK)
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


class Add(torch.nn.Module):
    def forward(self, x, y):
        return _Add.apply(x, y)


def add(x, y):
    return Add()(x, y)
