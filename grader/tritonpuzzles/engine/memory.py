"""The memory of one recorded call, of its inputs and its program's allocations, and the layout of tensors in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.frames import Send
from tritonpuzzles.wire.job import JobInput
from tritonpuzzles.wire.program import MAX_ALLOCATED, Allocate, View

ALL_ONES = 0xFF  # in every byte: NaN in every floating dtype
Reserve = Callable[..., Tensor]  # (elements, dtype=...): fresh flat memory, perhaps inside a larger storage


class Memory:
    """Storages by number: the inputs' first, in their order, then what is allocated by `reserve`.

    `offsets` are those of the inputs in their storages according to the program, in elements; a real storage may be
    larger and begin earlier.
    """

    def __init__(self, inputs: Sequence[Tensor], offsets: Sequence[int], reserve: Reserve) -> None:
        self._reserve = reserve
        self._storages = [
            (tensor.untyped_storage(), (int(tensor.storage_offset()) - offset) * tensor.element_size(), tensor.device)
            for tensor, offset in zip(inputs, offsets, strict=True)
        ]
        self._allocated = 0
        self.fresh: list[Tensor] = []

    def allocate(self, step: Allocate) -> Tensor:
        """Allocate the storage with the next number, and return it as a flat tensor.

        Raises MemoryError if the call has allocated more than `MAX_ALLOCATED`.
        """
        self._allocated += step.nbytes
        if self._allocated > MAX_ALLOCATED:
            raise MemoryError(f"{self._allocated:,} bytes")
        dtype = dtype_of(step.dtype)
        flat = self._reserve(-(-step.nbytes // dtype.itemsize), dtype=dtype)
        self._storages.append((flat.untyped_storage(), int(flat.storage_offset()) * dtype.itemsize, flat.device))
        self.fresh.append(flat)
        return flat

    def number(self, address: int) -> int:
        """Return the number of the storage at an address; -1 for none."""
        addresses = [identity(storage) for storage, _, _ in self._storages]
        return addresses.index(address) if address in addresses else -1

    def view(self, view: View) -> Tensor:
        """Return a view of a storage; the reader of the program has checked that it lies inside."""
        storage, start, device = self._storages[view.storage]
        dtype = dtype_of(view.dtype)
        if start % dtype.itemsize:
            raise MemoryError(f"a storage does not begin at a multiple of {dtype.itemsize} bytes")
        empty = torch.empty(0, dtype=dtype, device=device)
        return empty.set_(storage, start // dtype.itemsize + view.offset, view.shape, view.stride)


def tensors_of(results: Iterable[object]) -> list[Tensor]:
    """Return the results that are tensors."""
    return [item for item in results if isinstance(item, Tensor)]


def send_rows(send: Send, results: Iterable[object], rows: Sequence[int]) -> None:
    """Send some rows of each result that is a tensor."""
    tensors = tensors_of(results)
    wanted = [torch.tensor(rows, dtype=torch.int64, device=tensor.device) for tensor in tensors]
    chosen = [tensor.index_select(0, some).cpu() for tensor, some in zip(tensors, wanted, strict=True)]
    pieces = [bytes_of(tensor).numpy().tobytes() for tensor in chosen]
    send("rows", b"".join(pieces), sizes=[len(piece) for piece in pieces])


def bytes_of(tensor: Tensor) -> Tensor:
    """Return the bytes of a tensor's elements in order, (nbytes,)."""
    whole = tensor.contiguous()  # an axis of one element keeps the stride that it had
    return whole.as_strided((whole.numel(),), (1,)).view(torch.uint8)


def whole_storage(tensor: Tensor) -> Tensor:
    """Return a tensor's storage as bytes."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def laid_out(values: Tensor, item: JobInput, reserve: Reserve) -> Tensor:
    """Return an input with the layout that a call gets, in fresh memory; gaps hold NaN, all ones in every byte.

    `values`, of the input's shape, have no gaps.
    """
    flat = reserve(item.storage_bytes // values.element_size(), dtype=values.dtype)
    if item.storage_bytes > values.nbytes:
        flat.view(torch.uint8).fill_(ALL_ONES)
    return flat.as_strided(item.shape, item.stride, flat.storage_offset() + item.offset).copy_(values)
