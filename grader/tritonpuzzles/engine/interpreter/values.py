"""Values of an interpreted kernel: NumPy arrays whose first dimension is the programs of a batch.

A block of shape (16, 32) is an array (programs, 16, 32), a scalar is (programs,). The leading dimension is 1 where
the value is the same in every program: `tl.arange`, arguments, constants. Most of a kernel's index arithmetic stays
that small.

bfloat16, TF32 and float8 are rounded as a GPU rounds them. Triton's own interpreter adds the bit patterns of bfloat16
and truncates on conversion; here a bfloat16 is a float32 whose low 16 bits are zero, and every operation rounds to
nearest even.

As in Triton's compiler, list and tuple displays become `tl.tuple`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import triton.language as tl

from tritonpuzzles.insides import TensorHandle

Array: TypeAlias = npt.NDArray[Any]
Bounds: TypeAlias = tuple[int, int]

INT32: Bounds = (-(2**31), 2**31 - 1)

_FLOAT8 = ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15")
_DTYPES: dict[str, np.dtype[Any]] = {
    "int1": np.dtype(np.bool_),
    **{name: np.dtype(name) for bits in (8, 16, 32, 64) for name in (f"int{bits}", f"uint{bits}")},
    **{f"fp{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "bf16": np.dtype(np.float32),  # rounded after each operation
    **dict.fromkeys(_FLOAT8, np.dtype(np.uint8)),
}
_ADDRESS = np.dtype(np.uint64)


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype that holds values of a Triton type (block types count as their elements)."""
    scalar = dtype.scalar
    return _ADDRESS if isinstance(scalar, tl.pointer_type) else _DTYPES[scalar.name]


def is_bf16(dtype: Any) -> bool:
    """Whether a Triton type is bfloat16, or a block of it."""
    scalar = dtype.scalar
    return not isinstance(scalar, tl.pointer_type) and scalar.name == "bf16"


def is_float8(dtype: Any) -> bool:
    """Whether a Triton type is one of the 8-bit floating-point formats."""
    return getattr(dtype.scalar, "name", "") in _FLOAT8


def plain(value: Any) -> Any:
    """Return the value of a constexpr, or any other value itself."""
    return value.value if isinstance(value, tl.constexpr) else value


class Handle(TensorHandle):  # type: ignore[misc]
    """One value of the kernel: an array (programs or 1, *block) and a Triton scalar or pointer type."""

    def __init__(self, data: Array, dtype: Any, wrapped: Array | None = None, bounds: Bounds | None = None) -> None:
        self.data, self.dtype = data, dtype
        self.attr: dict[str, Any] = {}
        # Where int32 address arithmetic has wrapped around: the number of the ledger's `Wrap`, from 1, or 0; its shape
        # is broadcastable to data. None if it has not wrapped anywhere.
        self.wrapped = wrapped
        self.bounds = bounds  # smallest and largest value, if known without a scan (integers only)

    @property
    def rank(self) -> int:
        """Number of block dimensions; 0 is a scalar."""
        return int(self.data.ndim - 1)

    @property
    def elements(self) -> int:
        """Number of elements of the block in one program."""
        return int(self.data.size // max(1, len(self.data)))


def value_bounds(handle: Handle) -> Bounds:
    """Return the smallest and the largest value of an integer handle; scans only if they are not known yet."""
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


def round_bf16(x: Array) -> Array:
    """Round float32 to bfloat16 precision, to nearest even; NaN stays NaN, overflow becomes infinity."""
    if x.dtype != np.float32:
        x = x.astype(np.float32)
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))


def float_to_bf16(x: Array) -> Array:
    """Return bfloat16 values as float32, rounded once also where `x` is float64 or a 64-bit integer."""
    if x.dtype in (np.float64, np.int64, np.uint64, np.int32, np.uint32):
        return round_bf16(_round_to_odd(x))
    return round_bf16(x.astype(np.float32))


def _round_to_odd(x: Array) -> Array:
    """Shorten to float32 so that a second rounding to 16 bits is exact: truncate, and set the last bit if inexact."""
    wide = x.astype(np.float64)
    near = wide.astype(np.float32)
    with np.errstate(invalid="ignore"):
        away = np.abs(near.astype(np.float64)) > np.abs(wide)
        inexact = near.astype(np.float64) != wide
    bits = near.view(np.uint32) - away.astype(np.uint32)
    odd = (bits | inexact.astype(np.uint32)).view(np.float32)
    return np.where(np.isfinite(near) & inexact, odd, near)


def toward_zero(near: Array, x: Array) -> Array:
    """Return `near`, x rounded to nearest, moved one step towards 0 where its magnitude exceeds that of x.

    A finite x stays finite. near: float16, or bfloat16 as float32.
    """
    away = np.abs(near.astype(np.float64)) > np.abs(x.astype(np.float64))
    unit = 1 if near.dtype == np.float16 else 1 << 16
    bits = np.ascontiguousarray(near).view(f"u{near.dtype.itemsize}")
    closer: Array = (bits - away * bits.dtype.type(unit)).view(near.dtype)
    return closer


def bf16_bits(x: Array) -> Array:
    """Return the 16-bit patterns of bfloat16 values, as stored in memory."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    quiet = np.where(np.isnan(x), np.uint32(0x00400000), np.uint32(0))  # a NaN stays a NaN if its payload is truncated
    patterns: Array = ((bits | quiet) >> np.uint32(16)).astype(np.uint16)
    return patterns


def bf16_values(bits: Array) -> Array:
    """Return 16-bit patterns from memory as float32."""
    values: Array = (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return values


def as_bits(x: Array, dtype: Any) -> Array:
    """Return values of a Triton type as bit patterns in memory."""
    return bf16_bits(x) if is_bf16(dtype) else np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


def of_bits(bits: Array, dtype: Any) -> Array:
    """Return bit patterns from memory as values of a Triton type."""
    return bf16_values(bits) if is_bf16(dtype) else bits.view(numpy_dtype(dtype))


def add_bf16(memory: Array, elements: Array, values: Array) -> Array:
    """Add float32 values to bfloat16 in memory, in order, rounding after each; return the old values.

    memory: uint16, patterns of bfloat16; an element may occur several times.
    """
    order = np.argsort(elements, kind="stable")
    _, firsts, counts = np.unique(elements[order], return_index=True, return_counts=True)
    times = np.empty(len(elements), dtype=np.int64)  # number of earlier occurrences of the same element
    times[order] = np.arange(len(elements)) - np.repeat(firsts, counts)
    before = np.empty(len(elements), dtype=np.float32)
    for time in range(int(counts.max(initial=0))):
        now = times == time
        before[now] = bf16_values(memory[elements[now]])
        memory[elements[now]] = bf16_bits(round_bf16(before[now] + values[now]))
    return before


def rounded_to_zero(x: Array, kind: np.dtype[Any]) -> Array:
    """Convert floats to integers as a GPU does (PTX, `cvt.rzi`); 8-bit types are converted to 16 bits.

    A value out of range becomes the nearest limit. NaN becomes 0 or, if either type has 64 bits, only the sign bit is
    set.
    """
    kind = np.dtype(f"{kind.kind}{max(2, kind.itemsize)}")
    limits, widths = np.iinfo(kind), (x.dtype.itemsize, kind.itemsize)
    lone = limits.min or 1 << (limits.bits - 1)
    with np.errstate(invalid="ignore"):
        result: Array = x.astype(kind)
    wide = x.astype(np.float64)
    result[wide >= limits.max] = limits.max
    result[wide <= limits.min] = limits.min
    result[np.isnan(x)] = lone if 8 in widths else 0
    return result


def tf32(x: Array) -> Array:
    """Truncate float32 to TF32: tensor cores ignore the low 13 bits of the mantissa."""
    values: Array = (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


def poison(kind: np.dtype[Any], filled: Sequence[int], count: int) -> Array:
    """Return (count,) values, each of one repeated byte, the bytes in turn; 0x7B and 0xFB give large, finite values."""
    each = np.resize(np.array(filled, dtype=np.uint8), count)
    return each.astype(np.bool_) if kind == np.bool_ else np.repeat(each, kind.itemsize).view(kind)


def kernel_tuple(items: Iterable[Any], fields: tuple[str, ...] | None = None) -> Any:
    """Return a `tl.tuple` of tensors and compile-time constants; `fields` are those of a NamedTuple."""
    values = list(items)
    types = [value.type if isinstance(value, tl.core.base_value) else tl.constexpr(value).type for value in values]
    return tl.tuple(values, tl.tuple_type(types, fields))


def is_tuple(value: Any) -> bool:
    """Return whether a value is a `tl.tuple` or a Python tuple, such as a NamedTuple."""
    return isinstance(value, (tuple, tl.tuple))


def remade(like: Any, items: list[Any]) -> Any:
    """Return a tuple with other items, of the same kind as `like`."""
    if isinstance(like, tl.tuple):
        return kernel_tuple(items, like.type.fields)
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
