"""The memory of the tensors that kernels touch, with shadow arrays of the readers and writers of each element.

One `Storage` per torch storage: views and in-place arguments share it. It keeps the torch storage alive, so that a
freed and reused address is never mistaken for the old tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tritonpuzzles.engine.interpreter.values import Array

_ONES = {1: 0x01, 2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101}
MANY = -1  # several programs
ATOMIC = -2  # updated atomically, by any number of programs


def unsigned(width: int) -> np.dtype[Any]:
    """Return the unsigned integer type of `width` bytes."""
    return np.dtype(f"uint{8 * width}")


def identity(storage: torch.UntypedStorage) -> int:
    """Return a number that is unique among living storages: its address or, without memory, its C++ object's."""
    return storage.data_ptr() or storage._cdata


class Shadow(dict[int, Array]):
    """A number for each element of a storage, by the width of elements in bytes; made, all 0, when it is first used."""

    def __init__(self, nbytes: int, kind: type[np.signedinteger[Any]]) -> None:
        self._nbytes, self._kind = nbytes, kind

    def __missing__(self, width: int) -> Array:
        made = self[width] = np.zeros(self._nbytes // width, dtype=self._kind)
        return made


class Storage:
    """One torch storage."""

    holds = True  # it has memory, and keeps readers and writers
    partial = False  # its values are unknown, so that running only some programs is enough
    unfinished = False  # a launch on it was aborted

    def __init__(self, tensor: torch.Tensor) -> None:
        self.keep = tensor.untyped_storage()
        self.address = identity(self.keep)
        self.raw: Array = torch.empty(0, dtype=torch.uint8).set_(self.keep).numpy()
        self.written: Array = np.zeros(len(self.raw), dtype=np.uint8)  # 1 for each byte that some launch has stored
        self.fresh: Array | None = None  # 1 for each byte that the host got uninitialised; None if nothing is
        self.begin_launch()

    @property
    def nbytes(self) -> int:
        """Its size."""
        return len(self.raw)

    def begin_launch(self) -> None:
        """Forget the previous launch's readers and writers."""
        size = self.nbytes
        self.writer = Shadow(size, np.int32)  # writer in this launch: program from 1, ATOMIC, or 0 for none
        self.owner = Shadow(size, np.int64)  # the writer's lane: see `threads.owners`
        self.reader = Shadow(size, np.int32)  # reader, or MANY; only of storages that the launch also writes
        self.reader_line = Shadow(size, np.int16)  # the last reader's line, as the ledger's number
        self.times = {who: Shadow(size, np.int64) for who in ("writers", "readers")}  # see `Ordering.time`
        self.original: Array | None = None  # the bytes before the first store of this launch
        self.track_reads = False
        self.read_untracked = False

    def typed(self, kind: np.dtype[Any], first: int = 0, end: int | None = None) -> Array:
        """Return the whole elements of a type in the bytes `first` to `end - 1`, or in all from `first` on."""
        held = self.raw[first:end]
        return held[: len(held) // kind.itemsize * kind.itemsize].view(kind)

    def save(self) -> None:
        """Keep a copy of the bytes before this launch's first store."""
        if self.original is None:
            self.original = self.raw.copy()

    def restore(self) -> None:
        """Put back the bytes from before this launch."""
        if self.original is not None:
            self.raw[:] = self.original

    def finish_launch(self) -> None:
        """Enter this launch's stores into `written`, and forget its readers and writers."""
        for width, writer in self.writer.items():
            stored = writer != 0
            flags = self.written[: len(writer) * width].view(unsigned(width))
            np.copyto(flags, flags.dtype.type(_ONES[width]), where=stored)
        self.begin_launch()  # frees the shadow arrays

    def mark(self, tensor: torch.Tensor, uninitialised: bool) -> None:
        """Mark a tensor's elements as uninitialised memory, or as initialised."""
        if self.fresh is None:
            self.fresh = np.zeros(len(self.raw), dtype=np.uint8)
        view = strided(self.fresh, tensor)
        view[...] = _ONES[tensor.element_size()] if uninitialised else 0
        if uninitialised:
            strided(self.written, tensor)[...] = 0

    def mark_bytes(self, empty: Array | None) -> None:
        """Set which bytes are uninitialised memory: 1 in `empty`, or all if it is `None`."""
        self.fresh = np.ones(len(self.raw), dtype=np.uint8) if empty is None else empty

    def mark_written(self, tensor: torch.Tensor, elements: Array) -> None:
        """Set which elements of a tensor count as stored by launches, though none has stored them here."""
        strided(self.written, tensor)[...] = np.where(elements, _ONES[tensor.element_size()], 0)

    def written_elements(self, tensor: torch.Tensor) -> Array:
        """Return, in the tensor's shape, which elements some launch has stored."""
        result: Array = strided(self.written, tensor) == _ONES[tensor.element_size()]
        return result

    def uninitialised(self, elements: Array, width: int) -> Array | None:
        """Return which elements have no value yet; None if all have one."""
        if self.fresh is None:
            return None
        size = len(self.raw) // width * width
        fresh, written = (flags[:size].view(unsigned(width))[elements] for flags in (self.fresh, self.written))
        empty = (fresh != 0) & (written == 0)
        if width in self.writer:
            empty &= self.writer[width][elements] == 0
        return empty if empty.any() else None


def strided(shadow: Array, tensor: torch.Tensor) -> Array:
    """View a byte shadow of the tensor's storage in the tensor's shape, one unsigned number per element."""
    width = tensor.element_size()
    first = tensor.storage_offset() * width
    flags = shadow[first : first + extent_bytes(tensor)].view(unsigned(width))
    return np.lib.stride_tricks.as_strided(flags, tuple(tensor.shape), [width * s for s in tensor.stride()])


def extent_bytes(tensor: torch.Tensor) -> int:
    """Return the bytes from a tensor's first element to the end of its last, gaps included."""
    if tensor.numel() == 0:
        return 0
    last = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return int(last + 1) * tensor.element_size()
