"""Element-wise operations of the builder: arithmetic, casts, comparison, and int32 overflow of addresses."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter import device_library
from tritonpuzzles.engine.interpreter.errors import Abort, NotOnCpu, UnsupportedOperation
from tritonpuzzles.engine.interpreter.float8 import decoded, encoded
from tritonpuzzles.engine.interpreter.memory import Memory
from tritonpuzzles.engine.interpreter.values import (
    INT32,
    Array,
    Bounds,
    Handle,
    aligned,
    bf16_bits,
    bf16_values,
    float_to_bf16,
    is_bf16,
    is_float8,
    numpy_dtype,
    round_bf16,
    rounded_to_zero,
    toward_zero,
    value_bounds,
)
from tritonpuzzles.insides import InterpreterBuilder, ir
from tritonpuzzles.wire.facts import Wrap

_SYMBOLS: dict[Callable[..., Any], Literal["+", "-", "*"]] = {np.add: "+", np.subtract: "-", np.multiply: "*"}


def _finish(data: Array, dtype: Any) -> Array:
    """Bring a result back to its type: NumPy widens some operations, and bfloat16 rounds after each."""
    if data.dtype == np.bool_:
        return data  # comparisons keep the type of their operands
    if is_bf16(dtype):
        return round_bf16(data)
    kind = numpy_dtype(dtype)
    return data.astype(kind) if data.dtype.itemsize > kind.itemsize else data


class Arithmetic(InterpreterBuilder):  # type: ignore[misc]
    """Element-wise operations, under the names that Triton's semantic layer calls."""

    memory: Memory
    steps: int
    step_limit: int | None

    def _step(self) -> None:
        """Count an operation; raise Abort above the limit, as for a repeated launch far longer than the first run."""
        self.steps += 1
        if self.step_limit is not None and self.steps > self.step_limit:
            raise Abort

    def binary_op(self, lhs: Handle, rhs: Handle, op: Callable[..., Any]) -> Handle:
        """Apply `op` to two values of the same Triton type."""
        self._step()
        left, right = aligned(lhs.data, rhs.data)
        if left.dtype == np.bool_ and right.dtype == np.bool_:  # int1 wraps around like any other integer
            return Handle((op(left.astype(np.int8), right.astype(np.int8)) & 1).astype(np.bool_), lhs.dtype.scalar)
        if is_float8(lhs.dtype):
            raise UnsupportedOperation("arithmetic on float8", "convert to float16 or float32 first")
        return Handle(_finish(op(left, right), lhs.dtype), lhs.dtype.scalar)

    def unary_op(self, arg: Handle, op: Callable[..., Any]) -> Handle:
        """Apply `op` to one value."""
        return Handle(_finish(op(arg.data), arg.dtype), arg.dtype.scalar)

    def ternary_op(self, lhs: Handle, rhs: Handle, other: Handle, op: Callable[..., Any]) -> Handle:
        """Apply `op` to three values; the last one gives the type."""
        return Handle(_finish(op(*aligned(lhs.data, rhs.data, other.data)), other.dtype), other.dtype.scalar)

    def create_select(self, cond: Handle, lhs: Handle, rhs: Handle) -> Handle:
        """Choose per element."""
        condition, left, right = aligned(cond.data, lhs.data, rhs.data)
        return Handle(np.where(condition, left, right), rhs.dtype.scalar, _merge_wrapped(lhs, rhs))

    # Integer addition, subtraction and multiplication track int32 overflow, which may reach an address.

    def create_add(self, lhs: Handle, rhs: Handle) -> Handle:
        """Add integers."""
        return self._integer(lhs, rhs, np.add)

    def create_sub(self, lhs: Handle, rhs: Handle) -> Handle:
        """Subtract integers."""
        return self._integer(lhs, rhs, np.subtract)

    def create_mul(self, lhs: Handle, rhs: Handle) -> Handle:
        """Multiply integers."""
        return self._integer(lhs, rhs, np.multiply)

    def _integer(self, lhs: Handle, rhs: Handle, op: Callable[..., Any]) -> Handle:
        result = self.binary_op(lhs, rhs, op)
        result.wrapped = _merge_wrapped(lhs, rhs)  # a later cast to 64 bits does not restore the lost bits
        if lhs.dtype.scalar.name != "int32" or result.data.dtype != np.int32:
            return result
        bounds = _interval(op, value_bounds(lhs), value_bounds(rhs))
        if INT32[0] <= bounds[0] and bounds[1] <= INT32[1]:
            result.bounds = bounds
            return result
        left, right = aligned(lhs.data.astype(np.int64), rhs.data.astype(np.int64))
        wide = op(left, right)
        wrapped = wide != result.data
        if wrapped.any():
            numbers = (int(np.broadcast_to(each, wrapped.shape)[wrapped][0]) for each in (left, right, wide))
            ledger = self.memory.books
            number = ledger.number_of(Wrap(*ledger.place(), _SYMBOLS[op], *numbers))
            here = Handle(result.data, lhs.dtype.scalar, wrapped.astype(np.int32) * number)
            result.wrapped = _merge_wrapped(result, here)
        return result

    def create_ashr(self, lhs: Handle, rhs: Handle) -> Handle:
        """Shift right, keeping the sign."""
        left, right = aligned(lhs.data, rhs.data)
        signed = np.dtype(f"int{8 * left.dtype.itemsize}")
        return Handle(np.right_shift(left.astype(signed), right.astype(signed)), lhs.dtype.scalar)

    def create_umulhi(self, lhs: Handle, rhs: Handle) -> Handle:
        """Return the high half of an unsigned product."""
        left, right = aligned(lhs.data, rhs.data)
        kind = left.dtype
        unsigned = np.dtype(f"uint{8 * kind.itemsize}")
        left, right = left.astype(unsigned), right.astype(unsigned)
        if kind.itemsize == 8:
            return Handle(_high_product_64(left, right).astype(kind), lhs.dtype.scalar)
        wide = np.dtype(f"uint{16 * kind.itemsize}")
        high = (left.astype(wide) * right.astype(wide)) >> wide.type(8 * kind.itemsize)
        return Handle(high.astype(unsigned).astype(kind), lhs.dtype.scalar)

    def create_fma(self, x: Handle, y: Handle, z: Handle) -> Handle:
        """Multiply and add; rounds as this Triton's own interpreter does, except for bfloat16."""
        a, b, c = (np.array(v, order="C") for v in np.broadcast_arrays(*aligned(x.data, y.data, z.data)))
        if is_bf16(z.dtype):
            return Handle(float_to_bf16(a.astype(np.float64) * b + c), z.dtype.scalar)
        result = super().create_fma(*(Handle(v, z.dtype.scalar) for v in (a, b, c)))
        return Handle(result.data, z.dtype.scalar)

    # Of a number and NaN, maxnum and minnum return the number, as the hardware does; Triton's own interpreter kept NaN
    # before 3.8.

    def create_maxnumf(self, lhs: Handle, rhs: Handle) -> Handle:
        """Return the larger one."""
        return self.binary_op(lhs, rhs, np.fmax)

    def create_minnumf(self, lhs: Handle, rhs: Handle) -> Handle:
        """Return the smaller one."""
        return self.binary_op(lhs, rhs, np.fmin)

    def create_clampf(self, arg: Handle, lo: Handle, hi: Handle, propagate_nans: Any) -> Handle:
        """Clamp a value between two limits; NaN becomes the lower one unless NaN is to be propagated."""
        if propagate_nans == tl.PropagateNan.ALL:
            return self.ternary_op(arg, lo, hi, np.clip)
        return self.create_minnumf(self.create_maxnumf(arg, lo), hi)

    def create_fabs(self, arg: Handle) -> Handle:
        """Clear the sign."""
        return Handle(np.abs(arg.data), arg.dtype.scalar)

    def create_erf(self, arg: Handle) -> Handle:
        """Compute the error function."""
        return Handle(_finish(super().create_erf(arg).data, arg.dtype), arg.dtype.scalar)

    def create_exp2(self, arg: Handle) -> Handle:
        """Compute 2 ** x; a GPU's instruction for float32, ex2.approx.ftz, gives 0 below the normal numbers."""
        data = super().create_exp2(arg).data
        return Handle(device_library.flushed(data) if data.dtype == np.float32 else data, arg.dtype.scalar)

    def create_rsqrt(self, arg: Handle) -> Handle:
        """Compute 1 / sqrt(x)."""
        return Handle(_finish(1 / np.sqrt(arg.data), arg.dtype), arg.dtype.scalar)

    def create_extern_elementwise(
        self, lib_name: str, lib_path: str, symbol: str, arguments: list[Handle], type: Any, is_pure: bool
    ) -> Handle:
        """Compute a function of the device library."""
        data = device_library.compute(symbol, *aligned(*(argument.data for argument in arguments)))
        first = arguments[0]  # its dtype has the width that the function computes in
        return self.cast_impl(Handle(data.astype(first.data.dtype), first.dtype), type)

    def create_inline_asm(
        self, text: str, constraints: str, arguments: list[Handle], types: list[Any], is_pure: bool, pack: int
    ) -> SimpleNamespace:
        """Run inline assembly of one known float32 instruction; raises NotOnCpu for any other."""
        kinds = {*(argument.dtype.scalar for argument in arguments), *(type.scalar for type in types)}
        if len(types) != 1 or kinds != {tl.float32}:
            raise NotOnCpu("inline assembly with anything but float32")
        data = device_library.run_assembly(text, constraints, aligned(*(argument.data for argument in arguments)), pack)
        return SimpleNamespace(get_result=lambda index: Handle(data, tl.float32))

    # Conversions

    def cast_impl(self, src: Handle, dst_type: Any) -> Handle:
        """Convert to another type: to floats to nearest even, integers to integers by wrapping around."""
        target = dst_type.scalar
        if is_float8(src.dtype) or is_float8(target):
            return self.create_fp_to_fp(src, dst_type, None)
        if is_bf16(target):
            return Handle(float_to_bf16(src.data), target)
        kind = numpy_dtype(target)
        data = rounded_to_zero(src.data, kind) if src.data.dtype.kind == "f" and kind.kind in "iu" else src.data
        return Handle(data.astype(kind), target, src.wrapped, _kept_bounds(src, kind))

    def create_fp_to_fp(self, src: Handle, dst_type: Any, rounding_mode: Any) -> Handle:
        """Convert between floating-point formats."""
        target = dst_type.scalar
        if not is_float8(src.dtype) and not is_float8(target):
            near = self.cast_impl(src, dst_type)
            return near if rounding_mode != ir.ROUNDING_MODE.RTZ else Handle(toward_zero(near.data, src.data), target)
        if is_float8(src.dtype):
            src = Handle(decoded(src.data, src.dtype.scalar), tl.float32)
        if not is_float8(target):
            return self.cast_impl(src, dst_type)
        return Handle(encoded(src.data, target, rounding_mode == ir.ROUNDING_MODE.RTZ), target)

    def create_bitcast(self, src: Handle, dst_type: Any) -> Handle:
        """Reinterpret the bits."""
        target = dst_type.scalar
        if is_bf16(src.dtype) == is_bf16(target):
            kind, data = numpy_dtype(target), np.ascontiguousarray(src.data)
            data = _with_nan_of_a_gpu(data) if data.dtype.kind == "f" else data
            return Handle(data.view(kind), target, src.wrapped, _kept_bounds(src, kind))
        if is_bf16(target):
            return Handle(bf16_values(np.ascontiguousarray(src.data).view(np.uint16)), target)
        return Handle(bf16_bits(_with_nan_of_a_gpu(src.data)).view(numpy_dtype(target)), target)

    create_int_to_ptr = create_bitcast
    create_ptr_to_int = create_bitcast

    def create_addptr(self, ptr: Handle, offset: Handle) -> Handle:
        """Move pointers by a number of elements."""
        width = max(1, ptr.get_element_ty().primitive_bitwidth // 8)
        start, count = aligned(ptr.data, offset.data)
        moved = count.astype(np.int64)
        moved *= width
        addresses = moved.view(np.uint64)
        in_place = np.broadcast_shapes(start.shape, addresses.shape) == addresses.shape
        addresses = np.add(addresses, start, out=addresses if in_place else None)
        return Handle(addresses, ptr.dtype, _merge_wrapped(ptr, offset))


def _with_nan_of_a_gpu(data: Array) -> Array:
    """Return floats with every NaN replaced by the one of a GPU's arithmetic, whose bits except the sign are all 1."""
    unsigned = {2: np.uint16, 4: np.uint32}.get(data.itemsize)
    nan = np.isnan(data)
    if unsigned is None or not nan.any():
        return data
    return np.where(nan, np.iinfo(unsigned).max >> 1, data.view(unsigned)).astype(unsigned).view(data.dtype)


def _merge_wrapped(one: Handle, other: Handle) -> Array | None:
    """Return where a result has wrapped around: where an operand has; if both have, the reason is the first's."""
    if one.wrapped is None or other.wrapped is None:
        return other.wrapped if one.wrapped is None else one.wrapped
    left, right = aligned(one.wrapped, other.wrapped)
    return np.where(left == 0, right, left)


def _interval(op: Callable[..., Any], a: Bounds, b: Bounds) -> Bounds:
    if op is np.add:
        return a[0] + b[0], a[1] + b[1]
    if op is np.subtract:
        return a[0] - b[1], a[1] - b[0]
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _kept_bounds(src: Handle, kind: np.dtype[Any]) -> Bounds | None:
    """Return the bounds of a value after a conversion; `None` unless it is to an integer type that contains them."""
    if src.bounds is None or kind.kind not in "iu":
        return None
    limits = np.iinfo(kind)
    return src.bounds if limits.min <= src.bounds[0] and src.bounds[1] <= limits.max else None


def _high_product_64(left: Array, right: Array) -> Array:
    """Return the high 64 bits of products of 64-bit numbers, by long multiplication of 32-bit halves."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = left >> shift, left & low, right >> shift, right & low
    middle = a * d + ((b * d) >> shift)
    other = b * c + (middle & low)
    high: Array = a * c + (middle >> shift) + (other >> shift)
    return high
