"""Tensors that are too large to be there: every address has its place, nothing is stored, and zeros are read.

PyTorch's own meta tensors stand for them. What a kernel computes of them means nothing; where it reaches is what is
looked at. For that the first programs, the last, and those at the boundaries of 32 bits are enough, and of long loops
their first iterations; of those that carry nothing from one iteration to the next also their last.
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
LARGE_SHARE = 1 << 22  # elements of a program, which then walks over the tensor: the last reaches as far as any
ENDS = Turns(turns_first=3, turns_last=3)  # of a loop that carries nothing from one iteration to the next
WIDEST = 8  # bytes of an element
PHANTOM_STEPS = 4_000  # operations of a launch: a program may walk over a large part of such a tensor


class Nothing:
    """Elements that are all zero, however many, and stay so."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._zero = np.zeros(1, dtype=kind)

    def __getitem__(self, elements: Array) -> Array:
        return np.zeros(elements.shape, dtype=self._zero.dtype)

    def __setitem__(self, elements: Array, values: Array) -> None:
        pass

    def take(self, elements: Array, mode: str) -> Array:
        """Return elements, as `numpy.ndarray.take` would."""
        return self[elements]


class Phantom(Storage):
    """The storage of a meta tensor: who has read or written what is not kept, but for where programs begin to store."""

    holds, partial = False, True

    def __init__(self, tensor: torch.Tensor) -> None:
        self.keep = tensor.untyped_storage()
        self.address = identity(self.keep)
        self.fresh = None
        self.begun: dict[int, int] = {}  # program, from 1, by the first element of what it has stored at once
        self.reached = 0  # byte up to which programs have read or written, in all launches
        self.begin_launch()

    def begin_launch(self) -> None:
        """Forget who has stored in the previous launch."""
        super().begin_launch()
        self.begun = {}

    def reach(self, elements: Array, width: int) -> None:
        """Note that elements of a width in bytes are read or written."""
        self.reached = max(self.reached, int(elements.max(initial=-1) + 1) * width)

    @property
    def nbytes(self) -> int:
        """Bytes that it would have."""
        return self.keep.nbytes()

    def typed(self, kind: np.dtype[Any]) -> Any:
        """Return elements of a type."""
        return Nothing(kind)

    def between(self, first: int, end: int, kind: np.dtype[Any]) -> Any:
        """Return the elements in a range of bytes."""
        return Nothing(kind)

    def save(self) -> None:
        """Keep nothing: nothing changes."""

    def mark(self, tensor: torch.Tensor, uninitialised: bool) -> None:
        """Note nothing: what is read here means nothing either way."""


class Pieces:
    """The numbers of a tensor whose rows, or columns, lie in one piece each, and these far apart; 0 is between them.

    values: (pieces, elements of each), any dtype. stride: elements from one piece to the next.
    """

    def __init__(self, values: torch.Tensor, stride: int) -> None:
        rows = values.contiguous().view(torch.uint8).numpy()
        self._bytes = np.pad(rows, ((0, 0), (0, -rows.shape[1] % WIDEST + WIDEST)))  # ends in zeros
        self._stride = stride * values.element_size()

    def typed(self, kind: np.dtype[Any], first: int = 0) -> _Typed:
        """Return them as elements of a type, counted from a byte on."""
        return _Typed(self._bytes.view(kind), self._stride // kind.itemsize, first // kind.itemsize)


class _Typed(Nothing):
    """The same as elements of one type."""

    def __init__(self, values: Array, stride: int, first: int) -> None:
        self._values, self._stride, self._first = values, stride, first

    def __getitem__(self, elements: Array) -> Array:
        piece, place = np.divmod(elements + self._first, self._stride)
        pieces, length = self._values.shape
        found: Array = self._values[np.clip(piece, 0, pieces - 1), np.clip(place, 0, length - 1)]
        return found


class Spread(Phantom):
    """The storage of a meta tensor whose numbers are all there, in pieces that lie far apart; nothing changes them."""

    partial = False

    def __init__(self, tensor: torch.Tensor, pieces: Pieces) -> None:
        super().__init__(tensor)
        self._pieces = pieces

    def typed(self, kind: np.dtype[Any]) -> Any:
        """Return elements of a type."""
        return self._pieces.typed(kind)

    def between(self, first: int, end: int, kind: np.dtype[Any]) -> Any:
        """Return the elements in a range of bytes."""
        return self._pieces.typed(kind, first)

    def numbers(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a view of it in memory."""
        steps = (np.arange(size) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
        elements = int(tensor.storage_offset()) + sum(np.ix_(*steps), np.int64(0))
        found: Array = self.typed(unsigned(tensor.element_size()))[elements]
        return torch.from_numpy(found).view(tensor.dtype)


def inside(tensor: torch.Tensor, elements: Array) -> Array:
    """Return which elements, counted from the first, belong to a strided view, whose rows do not overlap."""
    strided = sorted(zip(tensor.stride(), tensor.shape, strict=True), reverse=True)
    rest, found = elements, elements >= 0
    for stride, size in strided:
        if size > 1:
            found &= rest // stride < size
            rest = rest % stride
    found &= rest == 0
    return found


def telling_programs(grid: tuple[int, int, int], elements: int) -> Array:
    """Return the ids of the programs that tell most of a large launch, in launch order: (count, 3) int32.

    Of a grid with several axes some along each are among them: there it shows whether a kernel tells them apart.
    Programs are taken to share the elements of the largest tensor evenly, in order.
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
    """Return the first programs along each axis, and those whose number there is the length of another axis."""
    if sum(size > 1 for size in grid) <= 1:
        return set()
    steps, numbers = (grid[1] * grid[2], grid[2], 1), {*range(EACH_SIDE + 1), *grid}
    return {step * n for step, size in zip(steps, grid, strict=True) for n in numbers if n < size}
