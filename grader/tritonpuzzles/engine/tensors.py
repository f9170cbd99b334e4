"""Whose memory tensors are, and how inputs lie in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tritonpuzzles.wire.job import JobInput
from tritonpuzzles.wire.serving import Send

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype


def tensors_of(results: Iterable[object]) -> list[Tensor]:
    """Return the results that are tensors."""
    return [item for item in results if isinstance(item, Tensor)]


def send_rows(send: Send, results: Iterable[object], rows: Sequence[int]) -> None:
    """Send some rows of each result that is a tensor."""
    tensors = tensors_of(results)
    wanted = [torch.tensor(rows, dtype=torch.int64, device=tensor.device) for tensor in tensors]
    chosen = [tensor.index_select(0, some).cpu().contiguous() for tensor, some in zip(tensors, wanted, strict=True)]
    pieces = [tensor.reshape(-1).view(torch.uint8).numpy().tobytes() for tensor in chosen]
    send("rows", b"".join(pieces), sizes=[len(piece) for piece in pieces])


def whole_storage(tensor: Tensor) -> Tensor:
    """Return a tensor's storage as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def laid_out(values: Tensor, item: JobInput, reserve: Callable[[int, torch.dtype], Tensor]) -> Tensor:
    """Return a tensor as a call gets it, in fresh memory: with NaN, all ones in every byte, where it has gaps.

    Args:
        values: of the call's shape, all of its storage.
        item: where it lies in its storage.
        reserve: returns (elements,) fresh memory of a dtype.
    """
    flat = reserve(item.storage_bytes // values.element_size(), values.dtype)
    if item.storage_bytes > values.nbytes:
        flat.view(torch.uint8).fill_(ALL_ONES)
    return flat.as_strided(item.shape, item.stride, flat.storage_offset() + item.offset).copy_(values)
