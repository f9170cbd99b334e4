"""Which tensors a host function returned, and whose memory they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor


def storage_key(tensor: Tensor) -> int:
    """Return what identifies a tensor's memory as long as the tensor lives."""
    return tensor.untyped_storage().data_ptr()


def argument_tensor(value: Any) -> Tensor | None:
    """Return the tensor that an argument of a launch is, or that its tensor descriptor holds as base."""
    tensor = getattr(value, "base", value)
    return tensor if isinstance(tensor, Tensor) else None


def returned_tensors(returned: Any) -> tuple[Any, ...]:
    """Return the outputs as a tuple, whatever they are."""
    return tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)


def plain_tensors(outputs: Iterable[Any]) -> list[Tensor]:
    """Return the outputs that are tensors and nothing else: a subclass may answer as it likes."""
    return [output for output in outputs if type(output) is Tensor]


def whole_storage(tensor: Tensor) -> Tensor:
    """Return a tensor's storage as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def input_bytes(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a copy of each input's whole storage, gaps included."""
    return {name: whole_storage(tensor).clone() for name, tensor in inputs.items()}
