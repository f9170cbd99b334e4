"""Whose memory tensors are."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype


def tensors_of(results: Iterable[object]) -> list[Tensor]:
    """Return the results that are tensors."""
    return [item for item in results if isinstance(item, Tensor)]


def whole_storage(tensor: Tensor) -> Tensor:
    """Return a tensor's storage as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())
