"""The truth of each puzzle, in PyTorch, from float64 copies of the exact, already rounded inputs.

Only the judge imports this; the process of a submission cannot (`wall.py`).
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
    """Return a b for a: (m, k), b: (k, n), followed by a leaky ReLU if requested."""
    return activated(a @ b, activation)


def dot(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """Return op(a) op(b), (m, n), where op transposes if the flag is set; op(a): (m, k), op(b): (k, n)."""
    return turned(a, transpose_a) @ turned(b, transpose_b)


def dot_factors(
    a: Tensor, b: Tensor, g: Tensor, transpose_a: bool, transpose_b: bool, of: str = ""
) -> tuple[Tensor, Tensor]:
    """Return the two matrices whose product is the result of `dot`, or its gradient with respect to a or b.

    a, b: as `dot` gets them; g: (m, n), the gradient of the result; of: "a", "b", or empty for the result
    """
    x, y = turned(a, transpose_a), turned(b, transpose_b)
    if of == "a":
        return (y, g.mT) if transpose_a else (g, y.mT)
    if of == "b":
        return (g.mT, x) if transpose_b else (x.mT, g)
    return x, y


def turned(x: Tensor, transposed: bool) -> Tensor:
    """Return a matrix, or its transpose."""
    return x.mT if transposed else x


def activated(c: Tensor, activation: str) -> Tensor:
    """Return c after the named activation: none, or a leaky ReLU."""
    return torch.where(c > 0, c, SLOPE * c) if activation == LEAKY_RELU else c
