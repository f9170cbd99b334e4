"""The truth of each puzzle, from float64 copies of its floating-point tensors."""

from __future__ import annotations

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Return every row of x: (n_rows, n_cols) over its root mean square, times weight: (n_cols,)."""
    return x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + eps) * weight


def rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return x: (n, d) with each pair of elements half a row apart turned by its angle; cos, sin: (n, d / 2)."""
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1)


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Return log(sum(exp(row))) minus the target's logit for each row of logits: (n_rows, n_cols)."""
    return torch.logsumexp(logits, dim=1) - logits.gather(1, targets[:, None])[:, 0]


def dropout(x: Tensor, keep: Tensor, p: float) -> Tensor:
    """Return x / (1 - p) where keep is not 0, and 0 elsewhere."""
    return torch.where(keep != 0, x / (1 - p), 0.0)


def int8_matmul(a: Tensor, b: Tensor, a_scale: Tensor, b_scale: Tensor, a_zero: int) -> Tensor:
    """Return the product of (a - a_zero) a_scale[:, None] and b b_scale[None, :], a: (m, k) and b: (k, n) int8."""
    return (a.double() - a_zero) @ b.double() * a_scale[:, None] * b_scale[None, :]
