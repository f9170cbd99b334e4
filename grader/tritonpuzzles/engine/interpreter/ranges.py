"""What a loop goes over: `range` whose ends differ between programs, its numbers, and which of them are run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import Diverge
from tritonpuzzles.engine.interpreter.values import Array, tensor_of


def is_scalar_tensor(value: Any) -> bool:
    """Whether a value is a run-time scalar, or a block of one element (as Triton counts it)."""
    return isinstance(value, tl.tensor) and (value.handle.rank == 0 or value.handle.elements == 1)


def scalar_data(value: Any) -> Array:
    """Return (programs or 1,) of a scalar tensor."""
    data: Array = value.handle.data
    return data.reshape(len(data), -1)[:, 0]


def loop_variable(values: Array, wide: bool) -> Any:
    """Return (programs or 1,) numbers of a loop as a compiled kernel has them: a tensor of 32 bits, or of 64."""
    beyond = values.size and (values.max() > 2**31 - 1 or values.min() < -(2**31))
    return tensor_of(values, tl.int64 if wide or beyond else tl.int32)


@dataclass(frozen=True)
class MaskedRange:
    """`range(start, stop, step)` whose ends differ between programs; arrays of (programs,) or one value.

    Attributes:
        wide: whether its loop variable has 64 bits, as one of its ends has.
    """

    batch: Batch
    start: Array
    stop: Array
    step: int
    wide: bool = False

    @property
    def trips(self) -> Array:
        """Number of iterations of each program."""
        span = self.stop.astype(np.int64) - self.start
        trips = -(-span // self.step)
        return np.broadcast_to(np.maximum(trips, 0), (self.batch.count,))

    def index(self, iteration: int | Array) -> Any:
        """Return the loop variable."""
        return loop_variable(self.start + np.asarray(iteration) * self.step, self.wide)

    def __iter__(self) -> Iterator[Any]:
        """Refuse: a loop that could not be rewritten (it has a break) is split by its first and last index."""
        pairs = np.stack([np.broadcast_to(self.start, (self.batch.count,)), self.trips], axis=1)
        _, kinds = np.unique(pairs, axis=0, return_inverse=True)
        raise Diverge(self.batch.with_live_only(kinds.reshape(-1)))


@dataclass(frozen=True)
class Indices(Sequence[Any]):
    """The numbers of a loop that is not unrolled, of 64 bits or of as many as they need."""

    loop_range: range
    wide: bool

    def __len__(self) -> int:
        return len(self.loop_range)

    def __getitem__(self, turn: Any) -> Any:
        return loop_variable(np.array([self.loop_range[turn]]), self.wide)


@dataclass(frozen=True)
class Turns:
    """Which iterations of a long loop are run: the first ones, and the last.

    The names are rare ones, here as in all that kernels run beside: no field of a kernel's own may be called so.
    """

    turns_first: int
    turns_last: int = 0

    def of(self, count: int) -> Sequence[int]:
        """Return the numbers of those iterations, of so many."""
        if count <= self.turns_first + self.turns_last:
            return range(count)
        return [*range(self.turns_first), *range(count - self.turns_last, count)]


def is_wide(arguments: Iterable[Any]) -> bool:
    """Return whether a loop's variable has 64 bits: the widest type of its start, end and step."""
    return any(isinstance(value, tl.tensor) and value.dtype.primitive_bitwidth == 64 for value in arguments)


def masked_range(batch: Batch, *arguments: Any) -> Any:
    """Stand in for `range` and `tl.range`: a Python range where the programs agree, else a MaskedRange."""
    start, stop, step = (_as_array(value) for value in _range_arguments(arguments))
    stride = int(batch.uniform(step))
    if _agree(batch, start) and _agree(batch, stop):
        return range(int(batch.uniform(start)), int(batch.uniform(stop)), stride)
    ragged = MaskedRange(batch, start.astype(np.int64), stop.astype(np.int64), stride, is_wide(arguments))
    if _agree(batch, start) and _agree(batch, ragged.trips):
        first = int(batch.uniform(start))
        return range(first, first + stride * int(batch.uniform(ragged.trips)), stride)
    return ragged


def _range_arguments(arguments: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    if len(arguments) == 1:
        return 0, arguments[0], 1
    start, stop, step = (*arguments, None)[:3]
    return (0, start, 1 if step is None else step) if stop is None else (start, stop, 1 if step is None else step)


def _as_array(value: Any) -> Array:
    if isinstance(value, tl.tensor):
        return scalar_data(value)
    return np.array([value.value if isinstance(value, tl.constexpr) else value.__index__()])


def _agree(batch: Batch, values: Array) -> bool:
    live = batch.live_values(values)
    return len(live) <= 1 or bool((live == live[0]).all())
