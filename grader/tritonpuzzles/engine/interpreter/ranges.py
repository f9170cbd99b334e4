"""The ranges of loops: `range` whose bounds differ between programs, its indices, and which iterations are run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.batch import Batch
from tritonpuzzles.engine.interpreter.errors import Diverge
from tritonpuzzles.engine.interpreter.values import Array, tensor_of


def is_scalar_tensor(value: Any) -> bool:
    """Return whether a value is a run-time scalar, or a block of one element (which Triton treats alike)."""
    return isinstance(value, tl.tensor) and (value.handle.rank == 0 or value.handle.elements == 1)


def scalar_data(value: Any) -> Array:
    """Return the values of a scalar tensor: (programs or 1,)."""
    data: Array = value.handle.data
    return data.reshape(len(data), -1)[:, 0]


def loop_variable(values: Array, dtype: tl.dtype) -> Any:
    """Return a loop variable's values, (programs or 1,), as in a compiled kernel: a tensor, of 64 bits if needed."""
    return tensor_of(values, dtype if values.size == 0 or _fits(values.min(), values.max(), dtype) else tl.int64)


def _fits(low: Any, high: Any, dtype: tl.dtype) -> bool:
    bits = dtype.int_bitwidth - dtype.is_int_signed()
    return bool(-(1 << bits) * dtype.is_int_signed() <= low and high < 1 << bits)


def loop_dtype(arguments: Iterable[Any]) -> tl.dtype:
    """Return the type of a loop's variable: start, end, step promoted as in C; Python numbers are int32 if they fit."""
    whole = (_as_array(value)[0] for value in arguments)
    types = [
        value.dtype if isinstance(value, tl.tensor) else tl.int32 if _fits(number, number, tl.int32) else tl.int64
        for value, number in zip(arguments, whole, strict=True)
    ]
    return reduce(_promoted, types)


def _promoted(one: tl.dtype, other: tl.dtype) -> tl.dtype:
    unsigned, signed = (other, one) if one.is_int_signed() else (one, other)
    if one.is_int_signed() == other.is_int_signed():
        return max(one, other, key=lambda dtype: dtype.int_bitwidth)
    return unsigned if unsigned.int_bitwidth >= signed.int_bitwidth else signed


@dataclass(frozen=True)
class MaskedRange:
    """`range(start, stop, step)` whose ends differ between programs; arrays of (programs,) or one value."""

    batch: Batch
    start: Array
    stop: Array
    step: int
    dtype: tl.dtype  # of its loop variable
    wrapped: Array | None = None  # where the start has wrapped around: so has the loop variable

    @property
    def trips(self) -> Array:
        """Number of iterations of each program."""
        span = self.stop.astype(np.int64) - self.start
        trips = -(-span // self.step)
        return np.broadcast_to(np.maximum(trips, 0), (self.batch.count,))

    def index(self, iteration: int | Array) -> Any:
        """Return the loop variable."""
        variable = loop_variable(self.start + np.asarray(iteration) * self.step, self.dtype)
        variable.handle.wrapped = self.wrapped
        return variable

    def __iter__(self) -> Iterator[Any]:
        """Raise Diverge: a loop that could not be rewritten (it has a break) is split by start and iterations."""
        pairs = np.stack([np.broadcast_to(self.start, (self.batch.count,)), self.trips], axis=1)
        _, kinds = np.unique(pairs, axis=0, return_inverse=True)
        raise Diverge(self.batch.with_live_only(kinds.reshape(-1)))


@dataclass(frozen=True)
class Indices(Sequence[Any]):
    """The numbers of a loop that is not unrolled, each a tensor."""

    loop_range: range
    dtype: tl.dtype

    def __len__(self) -> int:
        return len(self.loop_range)

    def __getitem__(self, turn: Any) -> Any:
        return loop_variable(np.array([self.loop_range[turn]]), self.dtype)


@dataclass(frozen=True)
class Turns:
    """Which iterations of a long loop are run: the first ones, and the last.

    The field names are unusual on purpose: a kernel's own named tuples must not have fields of the same name.
    """

    turns_first: int
    turns_last: int = 0

    def of(self, count: int) -> Sequence[int]:
        """Return the numbers of those iterations, of `count` in all."""
        if count <= self.turns_first + self.turns_last:
            return range(count)
        return [*range(self.turns_first), *range(count - self.turns_last, count)]


def masked_range(batch: Batch, given: tuple[Any, Any, Any]) -> Any:
    """Return a Python range if the programs agree on start, end and step, else a MaskedRange."""
    start, stop, step = (_as_array(value) for value in given)
    stride = int(batch.uniform(step))
    if stride <= 0 and isinstance(given[2], tl.tensor):
        raise ValueError(f"the step of range() is {stride}: only a constexpr may count downwards")
    if _agree(batch, start) and _agree(batch, stop):
        return range(int(batch.uniform(start)), int(batch.uniform(stop)), stride)
    wrapped = given[0].handle.wrapped if isinstance(given[0], tl.tensor) else None
    wrapped = None if wrapped is None else wrapped.reshape(len(wrapped), -1)[:, 0]
    ragged = MaskedRange(batch, start.astype(np.int64), stop.astype(np.int64), stride, loop_dtype(given), wrapped)
    if _agree(batch, start) and _agree(batch, ragged.trips):
        first = int(batch.uniform(start))
        return range(first, first + stride * int(batch.uniform(ragged.trips)), stride)
    return ragged


def range_arguments(arguments: tuple[Any, ...], hints: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return start, end and step from the arguments of `range` or `tl.range(arg1, arg2=None, step=None)`."""
    given = {**hints, **dict(zip(("arg1", "arg2", "step"), arguments, strict=False))}
    first, second, step = given["arg1"], given.get("arg2"), given.get("step")
    start, stop = (0, first) if second is None else (first, second)
    return start, stop, 1 if step is None else step


def _as_array(value: Any) -> Array:
    if isinstance(value, tl.tensor):
        return scalar_data(value)
    return np.array([value.value if isinstance(value, tl.constexpr) else value.__index__()])


def _agree(batch: Batch, values: Array) -> bool:
    live = batch.live_values(values)
    return len(live) <= 1 or bool((live == live[0]).all())
