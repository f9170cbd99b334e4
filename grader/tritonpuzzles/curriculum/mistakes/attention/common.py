"""What the attention mistakes share. q, k, v: (n, d) float32; `tile.cols` keys are taken in one step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes

MISTAKES = Mistakes()
WHOLE_MAX = r"tl\.max\((?:(?!axis|,).)*\)"  # without an axis
DOT, SUM, MAX, EXP = r"tl\.dot\(", r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\("
STORE, LOAD, WHERE = r"tl\.store\(", r"tl\.load\(", r"tl\.where\("
KEYS, VALUES = r"\bk\w*\s*=\s*tl\.load\(", r"\bv\w*\s*=\s*tl\.load\("
ACC, LOOP = r"acc\w*\s*[*+]?=(?!.*tl\.(zeros|full)\()", r"^\s*(for|while)\b"

Factor = Callable[[Tensor, Tensor], Tensor]


def scores_of(q: Tensor, k: Tensor) -> Tensor:
    """Return q k^T / sqrt(d), (n, n)."""
    scores: Tensor = q @ k.mT / q.shape[1] ** 0.5
    return scores


def right(m: Tensor, m_new: Tensor) -> Tensor:
    """Return the right factor for what was summed before."""
    return torch.exp(m - m_new)


def one(m: Tensor, m_new: Tensor) -> Tensor:
    """Rescale nothing."""
    return torch.ones_like(m)


def none(m: Tensor, m_new: Tensor) -> Tensor:
    """Keep nothing of what was summed before."""
    return torch.zeros_like(m)


def loop(
    scores: Tensor, v: Tensor, cols: int, sum_factor: Factor = right, acc_factor: Factor = right, running: bool = True
) -> tuple[Tensor, Tensor]:
    """Return acc and l after the FlashAttention-2 loop with these factors; without `running`, m is each tile's own."""
    m = torch.full_like(scores[:, :1], torch.finfo(torch.float32).min)
    l, acc = torch.zeros_like(m), torch.zeros_like(scores[:, :1] * v[:1])
    for start in range(0, scores.shape[1], cols):
        part = scores[:, start : start + cols]
        top = part.amax(dim=1, keepdim=True)
        m_new = torch.maximum(m, top) if running else top
        p = torch.exp(part - m_new)
        first = start == 0
        l = (0 * l if first else l * sum_factor(m, m_new)) + p.sum(dim=1, keepdim=True)
        acc = (0 * acc if first else acc * acc_factor(m, m_new)) + p @ v[start : start + cols]
        m = m_new
    return acc, l


def rounded(scores: Tensor, m: Tensor, v: Tensor, dtype: torch.dtype) -> Tensor:
    """Return attention relative to m, with p rounded to `dtype` before the product."""
    p = torch.exp(scores - m)
    return p.to(dtype).float() @ v / p.sum(dim=1, keepdim=True)
