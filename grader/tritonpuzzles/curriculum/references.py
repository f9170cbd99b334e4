"""The truth of each puzzle, in PyTorch, and what its speed is compared with.

The first group is called with float64 copies of the exact, already rounded inputs; the baselines get the inputs
themselves, on the GPU.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def softmax(x: Tensor) -> Tensor:
    """Return the softmax of each row of x: (n_rows, n_cols)."""
    return torch.softmax(x, dim=-1)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return softmax(q k^T / sqrt(d)) v for q, k, v: (n, d)."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v


def attention_model(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return attention as an ordinary correct kernel computes it; its error sets the tolerance.

    Scores and sums in float32, the probabilities rounded to the inputs' dtype before the second product.
    """
    scores = q.float() @ k.float().mT / q.shape[-1] ** 0.5
    top = scores.amax(dim=-1, keepdim=True) if scores.numel() else scores
    weights = torch.exp(scores - top)
    total = weights.sum(dim=-1, keepdim=True)
    return (weights.to(v.dtype).float() @ v.float() / total).to(v.dtype)


def torch_softmax(x: Tensor) -> Tensor:
    """PyTorch's own fused softmax, the baseline of puzzles 1 to 4."""
    return torch.softmax(x, dim=-1)


def naive_softmax(x: Tensor) -> Tensor:
    """Softmax as one writes it first in PyTorch: five kernels, 5 MN + 2 M reads and 3 MN + 2 M writes."""
    z = x - x.max(dim=1).values[:, None]
    numerator = torch.exp(z)
    return numerator / numerator.sum(dim=1)[:, None]


def flash_attention_2(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """PyTorch's own build of FlashAttention-2, a baseline of puzzle 5; q, k, v: (n, d) float16 or bfloat16.

    Raises:
        RuntimeError: where this GPU or dtype has no such kernel.
    """
    return _sdpa(SDPBackend.FLASH_ATTENTION, q, k, v)


def cudnn_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention of the cuDNN library, the yardstick of puzzle 5; q, k, v: (n, d) float16 or bfloat16.

    Raises:
        RuntimeError: where this GPU or dtype has no such kernel.
    """
    return _sdpa(SDPBackend.CUDNN_ATTENTION, q, k, v)


def _sdpa(backend: SDPBackend, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    with sdpa_kernel(backend):
        out: Tensor = scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])
    return out[0, 0]


def naive_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention with the (n, n) scores written to DRAM and read back."""
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v
