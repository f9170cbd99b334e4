"""A cap on logits by tanh, written with exp: exp(2 x) is inf for large logits, and inf / inf is NaN.

Code: wrong-values
Mistake at: tanh =
Reported: vllm-project/vllm#56578
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softcap_kernel(x_ptr, y_ptr, n_elements, cap, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32) / cap
    e = tl.exp(2 * x)
    tanh = (e - 1) / (e + 1)
    tl.store(y_ptr + offsets, (tanh * cap).to(y_ptr.dtype.element_ty), mask=mask)


def run(x, cap=2.0):
    x = x.contiguous()
    y = torch.empty_like(x)
    softcap_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), cap, BLOCK=256)
    return y


def reference(x, cap=2.0):
    return torch.tanh(x / cap) * cap


def cases():
    return [dict(x=torch.randn(500)), dict(x=torch.randn(500) * 300)]
