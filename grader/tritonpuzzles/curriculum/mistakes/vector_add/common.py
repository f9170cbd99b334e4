"""What the mistakes of vector additions share. x, y: (n_elements,) float32; a tile is `tile.cols` elements in a row."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes

MISTAKES = Mistakes()
ARANGE, LOAD, STORE = r"tl\.arange\(", r"tl\.load\(", r"tl\.store\("
UNWRITTEN = torch.nan


def total(inputs: tuple[Tensor, ...]) -> Tensor:
    """Return what is right."""
    x, y = inputs
    return x + y


def elements(inputs: tuple[Tensor, ...]) -> Tensor:
    """Return the number of each element."""
    return torch.arange(len(inputs[0]))


def only(z: Tensor, written: Tensor) -> Tensor:
    """Return z where it is written."""
    return torch.where(written, z, UNWRITTEN)
