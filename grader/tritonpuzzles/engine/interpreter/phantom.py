"""Tensors that are too large to allocate: every address is valid, stores are dropped, and loads return zeros.

PyTorch's meta tensors represent them. The values that a kernel computes from them mean nothing; only the addresses that
it accesses are checked. For that it is enough to run the first programs, the last, and those at the boundaries of 32
bits; of long loops the first iterations, and of loops that carry no address also the last ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from tritonpuzzles.engine.interpreter.batch import ids
from tritonpuzzles.engine.interpreter.ranges import Turns
from tritonpuzzles.engine.interpreter.storage import Storage, identity, unsigned
from tritonpuzzles.engine.interpreter.values import Array

BOUNDARIES = (1 << 31, 1 << 32)  # elements, where signed and unsigned 32-bit offsets wrap around
EACH_SIDE = 2  # programs
LARGE_SHARE = 1 << 22  # elements per program; such a program loops over the tensor: it is enough to run the last
ENDS = Turns(turns_first=3, turns_last=3)  # of a loop that carries nothing from one iteration to the next
WIDEST = 8  # bytes of an element
PHANTOM_STEPS = 4_000  # operations of a launch: a program may loop over a large part of such a tensor


class Nothing:
    """Any number of elements that are all zero; stores are dropped."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._kind = kind

    def __getitem__(self, elements: Array) -> Array:
        return np.zeros(elements.shape, dtype=self._kind)

    def __setitem__(self, elements: Array, values: Array) -> None:
        pass

    def take(self, elements: Array, mode: str) -> Array:
        """Return elements, as `numpy.ndarray.take` would."""
        return self[elements]


class Phantom(Storage):
    """The storage of a meta tensor: it keeps no readers and writers, only the first element of each store."""

    holds, partial = False, True

    def __init__(self, tensor: torch.Tensor) -> None:
        self.keep = tensor.untyped_storage()
        self.address = identity(self.keep)
        self.fresh = None
        self.begun: dict[int, int] = {}  # first element of a program's store -> the program, from 1
        self.reached = 0  # end of the bytes that programs have accessed, in all launches
        self.begin_launch()

    def begin_launch(self) -> None:
        """Forget the stores of the previous launch."""
        super().begin_launch()
        self.begun = {}

    def reach(self, elements: Array, width: int) -> None:
        """Note an access to elements; `width` is in bytes."""
        self.reached = max(self.reached, int(elements.max(initial=-1) + 1) * width)

    @property
    def nbytes(self) -> int:
        """The size in bytes that it would have."""
        return self.keep.nbytes()

    def typed(self, kind: np.dtype[Any], first: int = 0, end: int | None = None) -> Any:
        """Return the elements of a type in a range of bytes."""
        return Nothing(kind)

    def save(self) -> None:
        """Keep nothing: nothing changes."""

    def mark(self, tensor: torch.Tensor, uninitialised: bool) -> None:
        """Note nothing: values that are read here mean nothing anyway."""


class Pieces:
    """The values of a tensor whose rows, or columns, are contiguous pieces that lie far apart; the gaps read as 0.

    values: (pieces, elements of each), any dtype. stride: elements from one piece to the next.
    """

    def __init__(self, values: torch.Tensor, stride: int) -> None:
        rows = values.contiguous().view(torch.uint8).numpy()
        self._bytes = np.pad(rows, ((0, 0), (0, -rows.shape[1] % WIDEST + WIDEST)))  # ends in zeros
        self._stride = stride * values.element_size()

    def typed(self, kind: np.dtype[Any], first: int) -> _Typed:
        """Return the values as elements of a type, counted from byte `first` on."""
        return _Typed(self._bytes.view(kind), self._stride // kind.itemsize, first // kind.itemsize)


class _Typed(Nothing):
    """The values of `Pieces` as elements of one type."""

    def __init__(self, values: Array, stride: int, first: int) -> None:
        self._values, self._stride, self._first = values, stride, first

    def __getitem__(self, elements: Array) -> Array:
        piece, place = np.divmod(elements + self._first, self._stride)
        pieces, length = self._values.shape
        found: Array = self._values[np.clip(piece, 0, pieces - 1), np.clip(place, 0, length - 1)]
        return found


class Spread(Phantom):
    """The storage of a meta tensor whose values are known, in pieces that lie far apart; stores do not change them."""

    partial = False

    def __init__(self, tensor: torch.Tensor, pieces: Pieces) -> None:
        super().__init__(tensor)
        self._pieces = pieces

    def typed(self, kind: np.dtype[Any], first: int = 0, end: int | None = None) -> Any:
        """Return the elements of a type in a range of bytes."""
        return self._pieces.typed(kind, first)

    def numbers(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a view of the storage as a tensor in memory."""
        steps = (np.arange(size) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
        elements = int(tensor.storage_offset()) + sum(np.ix_(*steps), np.int64(0))
        found: Array = self.typed(unsigned(tensor.element_size()))[elements]
        return torch.from_numpy(found).view(tensor.dtype)


def inside(tensor: torch.Tensor, elements: Array) -> Array:
    """Return which elements, counted from the view's first, belong to a strided view without overlapping rows."""
    strided = sorted(zip(tensor.stride(), tensor.shape, strict=True), reverse=True)
    rest, found = elements, elements >= 0
    for stride, size in strided:
        if size > 1:
            found &= rest // stride < size
            rest = rest % stride
    found &= rest == 0
    return found


def telling_programs(grid: tuple[int, int, int], elements: int) -> Array:
    """Return the ids of representative programs of a large launch, in launch order: (count, 3) int32.

    For a grid with several axes they include programs along each axis, to show whether a kernel confuses the axes.
    Programs are assumed to share the elements of the largest tensor evenly, in order.
    """
    count = math.prod(grid)
    if elements > LARGE_SHARE * count:
        near = {count - 1}
    else:
        middles = [0, count, *(count * boundary // elements for boundary in BOUNDARIES if boundary < elements)]
        near = {middle + step for middle in middles for step in range(-EACH_SIDE, EACH_SIDE + 1)}
        near |= _along_each_axis(grid)
    linear = np.array(sorted(number for number in near if 0 <= number < count), dtype=np.int64)
    return ids(linear, grid)


def _along_each_axis(grid: tuple[int, int, int]) -> set[int]:
    """Return the first programs along each axis, and those whose index there equals the length of an axis."""
    if sum(size > 1 for size in grid) <= 1:
        return set()
    steps, numbers = (grid[1] * grid[2], grid[2], 1), {*range(EACH_SIDE + 1), *grid}
    return {step * n for step, size in zip(steps, grid, strict=True) for n in numbers if n < size}
