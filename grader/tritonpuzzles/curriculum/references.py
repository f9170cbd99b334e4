"""The truth of each puzzle, in PyTorch, from float64 copies of the exact, already rounded inputs.

The judge alone imports this; the process of a submission cannot (`wall.py`).
"""

from __future__ import annotations

import torch
from torch import Tensor

LEAKY_RELU, SLOPE = "leaky_relu", 0.01  # the activation of puzzle 7, by its name, and its slope below 0


def add(x: Tensor, y: Tensor) -> Tensor:
    """Return x + y for x, y: (n_elements,)."""
    return x + y


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


def matmul(a: Tensor, b: Tensor, activation: str = "") -> Tensor:
    """Return a b for a: (m, k), b: (k, n), behind a leaky ReLU if asked."""
    return activated(a @ b, activation)


def activated(c: Tensor, activation: str) -> Tensor:
    """Return c behind the activation of that name: none, or a leaky ReLU."""
    return torch.where(c > 0, c, SLOPE * c) if activation == LEAKY_RELU else c
