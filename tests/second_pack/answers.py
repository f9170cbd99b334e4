"""The truth of each puzzle, from float64 copies of its tensors, and a tolerance of the pack's own."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.tolerances import Tolerance


def rms_norm(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return every row of x: (n_rows, n_cols) over its root mean square, and the factors, (n_rows,)."""
    scale = torch.rsqrt(x.square().mean(dim=1) + eps)
    return x * scale[:, None], scale


def gather_rows(table: Tensor, index: Tensor) -> Tensor:
    """Return the rows of table: (n_rows, n_cols) that index: (n_picks,) names."""
    return table[index]


def swish(x: Tensor) -> Tensor:
    """Return x times its sigmoid; autograd works out the rest."""
    return x * torch.sigmoid(x)


def equal(case: DrawnCase, output: int) -> Tolerance:
    """Allow nothing: a copy has the very bits."""
    return Tolerance(0.0, 0.0)
