"""Values of an interpreted kernel: NumPy arrays with the programs of a batch in front.

A block of shape (16, 32) is an array (programs, 16, 32), a scalar is (programs,). The leading dimension is 1 where
the value is the same in every program: `tl.arange`, arguments, constants. Most of a kernel's index arithmetic stays
that small.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import triton.language as tl

from tritonpuzzles.insides import TensorHandle

Array: TypeAlias = npt.NDArray[Any]
Bounds: TypeAlias = tuple[int, int]

INT32: Bounds = (-(2**31), 2**31 - 1)

# bfloat16 is held as float32 that is rounded after each operation (numerics.py); float8 as bytes.
_NUMPY = {
    "int1": np.bool_,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "fp16": np.float16,
    "bf16": np.float32,
    "fp32": np.float32,
    "fp64": np.float64,
    "fp8e5": np.uint8,
    "fp8e5b16": np.uint8,
    "fp8e4nv": np.uint8,
    "fp8e4b8": np.uint8,
    "fp8e4b15": np.uint8,
}
_DTYPES = {name: np.dtype(kind) for name, kind in _NUMPY.items()}
_ADDRESS = np.dtype(np.uint64)


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype that holds values of a Triton type (block types count as their elements)."""
    scalar = dtype.scalar
    return _ADDRESS if isinstance(scalar, tl.pointer_type) else _DTYPES[scalar.name]


def is_bf16(dtype: Any) -> bool:
    """Whether a Triton type is bfloat16, or a block of it."""
    scalar = dtype.scalar
    return not isinstance(scalar, tl.pointer_type) and scalar.name == "bf16"


class Handle(TensorHandle):  # type: ignore[misc]
    """One value of the kernel.

    Attributes:
        data: array, (programs or 1, *block shape).
        dtype: Triton scalar or pointer type.
        wrapped: where int32 address arithmetic has wrapped around, shape broadcastable to data: the number of the
            ledger's `Wrap`, counted from 1; 0, and None for a whole value, is nowhere.
        bounds: smallest and largest value, where known without looking (integers only).
    """

    def __init__(self, data: Array, dtype: Any, wrapped: Array | None = None, bounds: Bounds | None = None) -> None:
        self.data, self.dtype = data, dtype
        self.attr: dict[str, Any] = {}
        self.wrapped, self.bounds = wrapped, bounds

    @property
    def rank(self) -> int:
        """Number of block dimensions; 0 is a scalar."""
        return int(self.data.ndim - 1)

    @property
    def elements(self) -> int:
        """Number of elements of the block in one program."""
        return int(self.data.size // max(1, len(self.data)))


def value_bounds(handle: Handle) -> Bounds:
    """Return the smallest and the largest value of an integer handle; looks only when they are not known yet."""
    if handle.bounds is None:
        data = handle.data
        handle.bounds = (int(data.min()), int(data.max())) if data.size else (0, 0)
    return handle.bounds


def lift(data: Array, rank: int) -> Array:
    """Give a scalar (programs,) the shape (programs, 1, ..., 1) that broadcasts against a block of `rank`."""
    return data if data.ndim == rank + 1 else data.reshape((len(data),) + (1,) * rank)


def aligned(*arrays: Array) -> list[Array]:
    """Make operands broadcast per program; a scalar among blocks would otherwise pair programs with elements."""
    rank = max(array.ndim for array in arrays) - 1
    if all(array.ndim == rank + 1 for array in arrays):
        return list(arrays)
    if any(array.ndim not in (1, rank + 1) for array in arrays):
        raise ValueError(f"operands of different rank: {[array.shape[1:] for array in arrays]}")
    return [lift(array, rank) for array in arrays]


def batch_axis(axis: int) -> int:
    """Translate a block's axis into the array's axis."""
    return axis + 1 if axis >= 0 else axis


def tensor_of(data: Array, dtype: Any) -> Any:
    """Wrap an array (programs, *shape) as a `tl.tensor` of the matching type."""
    scalar = dtype.scalar
    data = np.asarray(data)
    kind = numpy_dtype(scalar)
    data = data if data.dtype == kind else data.astype(kind)
    return tl.tensor(Handle(data, scalar), tl.block_type(scalar, list(data.shape[1:])) if data.ndim > 1 else scalar)
