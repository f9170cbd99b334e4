"""The memory of one recorded call: the inputs', and what its program allocates, with views of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from tritonpuzzles.engine.interpreter.storage import identity
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.program import MAX_ALLOCATED, Allocate, View


class Memory:
    """Storages by number: the inputs' first, then what is allocated.

    Args:
        inputs: one tensor per input, whose storages are numbered in this order.
        offsets: where the program says that each of them begins in its storage, in elements; it may lie further inside
            of a larger one.
        reserve: returns (elements,) fresh memory of a dtype; it may lie inside of a larger storage.
    """

    def __init__(
        self, inputs: Sequence[Tensor], offsets: Sequence[int], reserve: Callable[[int, torch.dtype], Tensor]
    ) -> None:
        self._reserve = reserve
        self._storages = [
            (tensor.untyped_storage(), (int(tensor.storage_offset()) - offset) * tensor.element_size(), tensor.device)
            for tensor, offset in zip(inputs, offsets, strict=True)
        ]
        self._allocated = 0
        self.fresh: list[Tensor] = []

    def allocate(self, step: Allocate) -> Tensor:
        """Return the flat tensor that the next number stands for.

        Raises:
            MemoryError: the call has allocated more than `MAX_ALLOCATED`.
        """
        self._allocated += step.nbytes
        if self._allocated > MAX_ALLOCATED:
            raise MemoryError(f"{self._allocated:,} bytes")
        dtype = dtype_of(step.dtype)
        flat = self._reserve(-(-step.nbytes // dtype.itemsize), dtype)
        self._storages.append((flat.untyped_storage(), int(flat.storage_offset()) * dtype.itemsize, flat.device))
        self.fresh.append(flat)
        return flat

    def number(self, address: int) -> int:
        """Return the number of the storage at an address; -1 for none."""
        addresses = [identity(storage) for storage, _, _ in self._storages]
        return addresses.index(address) if address in addresses else -1

    def view(self, view: View) -> Tensor:
        """Return a view of a storage; the reader of the program has seen that it lies inside."""
        storage, start, device = self._storages[view.storage]
        dtype = dtype_of(view.dtype)
        if start % dtype.itemsize:
            raise MemoryError(f"a storage does not begin at a multiple of {dtype.itemsize} bytes")
        empty = torch.empty(0, dtype=dtype, device=device)
        return empty.set_(storage, start // dtype.itemsize + view.offset, view.shape, view.stride)
