"""The backward pass of a causal convolution over time, with the strides of the gradient."""

import torch
import triton
import triton.language as tl


@triton.jit
def conv_dx_kernel(
    dy_ptr, w_ptr, dx_ptr, T, D, stride_t, stride_d, W: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr
):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BT, BD), dtype=tl.float32)
    for i in tl.static_range(W):
        later = (t + i).to(tl.int64)
        mask = (later < T)[:, None] & (d < D)[None, :]
        dy = tl.load(dy_ptr + later[:, None] * stride_t + d[None, :].to(tl.int64) * stride_d, mask=mask, other=0.0)
        w = tl.load(w_ptr + d * W + W - 1 - i, mask=d < D, other=0.0)
        acc += dy.to(tl.float32) * w[None, :]
    mask = (t < T)[:, None] & (d < D)[None, :]
    tl.store(dx_ptr + t[:, None].to(tl.int64) * D + d[None, :], acc.to(dx_ptr.dtype.element_ty), mask=mask)


def run(dy, weight):
    T, D = dy.shape
    dx = torch.empty((T, D), dtype=dy.dtype, device=dy.device)
    conv_dx_kernel[(triton.cdiv(T, 16), triton.cdiv(D, 32))](
        dy, weight.contiguous(), dx, T, D, *dy.stride(), W=weight.shape[1], BT=16, BD=32
    )
    return dx


def reference(dy, weight):
    assert len(weight) == dy.shape[1]
    T, W = dy.shape[0], weight.shape[1]
    padded = torch.cat([dy, dy.new_zeros(W - 1, dy.shape[1])])
    return sum(padded[i : i + T] * weight[:, W - 1 - i] for i in range(W))


def cases():
    return [dict(dy=torch.randn(37, 40), weight=torch.randn(40, 4))]
