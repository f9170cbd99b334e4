"""Whose memory tensors are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor


def tensors_of(results: Iterable[object]) -> list[Tensor]:
    """Return the results that are tensors."""
    return [item for item in results if isinstance(item, Tensor)]


def whole_storage(tensor: Tensor) -> Tensor:
    """Return a tensor's storage as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def input_bytes(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a copy of each input's whole storage, gaps included."""
    return {name: whole_storage(tensor).clone() for name, tensor in inputs.items()}
