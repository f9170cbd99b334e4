"""A cap on logits by tanh; its masked load names no other value, which sgl-project/sglang#27074 reports: no such lane
reaches the output.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softcap_kernel(x_ptr, y_ptr, n_elements, cap, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) / cap
    e = tl.exp(-2 * tl.abs(x))
    tanh = tl.where(x < 0, -1.0, 1.0) * (1 - e) / (1 + e)
    tl.store(y_ptr + offsets, (tanh * cap).to(y_ptr.dtype.element_ty), mask=mask)


def run(x, cap=30.0):
    x = x.contiguous()
    y = torch.empty_like(x)
    softcap_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), cap, BLOCK=256)
    return y


def reference(x, cap=30.0):
    return torch.tanh(x / cap) * cap


def cases():
    return [dict(x=torch.randn(500))]
