"""Baselines for a puzzle's speed: PyTorch's own functions for the same result, on the same inputs, on the GPU.

The worker times these, so it may import them; the reference that results are compared with is in `references`.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def torch_add(x: Tensor, y: Tensor) -> Tensor:
    """PyTorch's own sum, the baseline of puzzle 0."""
    return torch.add(x, y)


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

    Raises RuntimeError where this GPU or dtype has no such kernel.
    """
    return _sdpa(SDPBackend.FLASH_ATTENTION, q, k, v)


def cudnn_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention of the cuDNN library, the yardstick of puzzle 5; q, k, v: (n, d) float16 or bfloat16.

    Raises RuntimeError where this GPU or dtype has no such kernel.
    """
    return _sdpa(SDPBackend.CUDNN_ATTENTION, q, k, v)


def _sdpa(backend: SDPBackend, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    with sdpa_kernel(backend):
        out: Tensor = scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])
    return out[0, 0]


def naive_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention with the (n, n) scores written to DRAM and read back."""
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v


def torch_matmul(a: Tensor, b: Tensor, activation: str = "") -> Tensor:
    """The matrix product of cuBLAS, the yardstick of puzzle 7; an activation is a second kernel."""
    c = torch.matmul(a, b)
    return torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c


def torch_dot(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Both gradients and the result by cuBLAS, three products: the yardstick of puzzle 8."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    da = torch.matmul(y, g.T) if transpose_a else torch.matmul(g, y.T)
    db = torch.matmul(g.T, x) if transpose_b else torch.matmul(x.T, g)
    return da, db, torch.matmul(x, y)
