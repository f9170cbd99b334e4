"""Marks on storages: whether the memory counts as the fake GPU's, and which of it nothing has written."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles.engine.interpreter.storage import extent_bytes, strided
from tritonpuzzles.recorder.tensors import CPU, GPU

ON_GPU = "_tritonpuzzles_on_gpu"  # PyTorch keeps a storage's Python object, and its attributes, while the memory lives
EMPTY = "_tritonpuzzles_empty"
POISON = 0x7B  # repeated: large and finite in every format, as in lanes that are undefined


def storage_of(tensor: Tensor) -> Any:
    """Return a tensor's storage; `None` if it has no memory of its own, such as a subclass that wraps another."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None


def put(tensor: Tensor, on_gpu: bool) -> None:
    """Say where the memory of a tensor lies."""
    storage = storage_of(tensor)
    if storage is not None:
        setattr(storage, ON_GPU, on_gpu)


def is_on_gpu(tensor: Tensor) -> bool:
    """Whether it is the GPU's."""
    return bool(getattr(storage_of(tensor), ON_GPU, False))


def place(tensor: Tensor) -> torch.device:
    """Return the device that a tensor is said to be on."""
    return GPU if is_on_gpu(tensor) else CPU


def leave_empty(tensor: Tensor) -> None:
    """Fill new memory with poison, and mark it as unwritten."""
    storage = storage_of(tensor)
    if storage is None or not storage.nbytes() or tensor.is_meta:
        return
    raw = torch.empty(0, dtype=torch.uint8).set_(storage)
    raw.fill_(POISON if tensor.dtype != torch.bool else 1)
    setattr(storage, EMPTY, True)


def take_empty(tensor: Tensor) -> Any:
    """Return and remove the mark of unwritten bytes, which the caller then tracks: True for all, an array, or None."""
    storage = storage_of(tensor)
    found = getattr(storage, EMPTY, None)
    if found is not None:
        delattr(storage, EMPTY)
    return found


def note_written(tensor: Tensor) -> None:
    """Note that PyTorch has written all elements of a tensor."""
    storage = storage_of(tensor)
    empty = getattr(storage, EMPTY, None)
    if empty is None:
        return
    if tensor.numel() * tensor.element_size() == extent_bytes(tensor) == storage.nbytes():
        delattr(storage, EMPTY)
        return
    if empty is True:
        empty = np.ones(storage.nbytes(), dtype=np.uint8)
        setattr(storage, EMPTY, empty)
    strided(empty, tensor)[...] = 0
