"""Operations of the builder that move elements without computing: broadcast, reshape, transpose, join, dot operands.

Every operation that can make a block larger reports the new size, so that a batch whose tiles would not fit in
memory is split before they are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.division import Division
from tritonpuzzles.engine.interpreter.errors import Rebatch
from tritonpuzzles.engine.interpreter.values import Array, Handle, batch_axis, is_float8, numpy_dtype, round_bf16, tf32

CONTAINERS = (tuple, list, tl.tuple)  # the compiler treats a list as a tuple
_K_OF_FLOAT16 = 16  # mma.m16n8k16 and wgmma.m64nNk16
_PARTS = {"BF16X3": 2, "BF16X6": 3}  # `input_precision` -> bfloat16 numbers whose sum stands for one of float32


class Shapes(Division):
    """Shape operations; needs the limits that builder.py sets."""

    largest_tile: int
    most_together: int
    budget: int  # elements of one block value over all programs of a batch
    tf32: bool
    rounded_to_tf32: bool = False

    def note_tile(self, elements: int) -> None:
        """Remember the largest block; raise Rebatch if it is too large for so many programs."""
        self.largest_tile = max(self.largest_tile, elements)
        if self.batch.count > 1 and elements * self.batch.count > self.budget:
            raise Rebatch(max(1, self.budget // elements))

    def note_tiles(self, container: Iterable[Any]) -> None:
        """Remember the largest total number of elements of the tiles in one tuple, nested tuples included."""
        self.most_together = max(self.most_together, _elements(container))

    def _moved(self, arg: Handle, move: Callable[[Array], Array]) -> Handle:
        wrapped = None if arg.wrapped is None else move(np.broadcast_to(arg.wrapped, arg.data.shape))
        return Handle(move(arg.data), arg.dtype.scalar, wrapped, arg.bounds)

    def create_make_range(self, *arguments: Any) -> Handle:
        """Return `tl.arange(start, stop)`: the same in every program."""
        start, stop = arguments[-2:]
        self.note_tile(stop - start)
        data = np.arange(start, stop, dtype=np.int32)[None]
        return Handle(data, tl.int32, bounds=(int(start), max(int(start), int(stop) - 1)))

    def create_reshape(self, arg: Handle, shape: Sequence[int], allow_reorder: bool = False) -> Handle:
        """Reshape in row-major order; shuffled if the compiler may choose and not only axes of 1 change."""
        keeps = [size for size in arg.data.shape[1:] if size != 1] == [size for size in shape if size != 1]
        mixed = _in_any_order if allow_reorder and not keeps else np.asarray
        return self._moved(arg, lambda data: mixed(data.reshape(len(data), -1)).reshape((len(data), *shape)))

    def create_trans(self, arg: Handle, perm: Sequence[int]) -> Handle:
        """Permute the block's dimensions."""
        return self._moved(arg, lambda data: np.transpose(data, (0, *(p + 1 for p in perm))))

    def create_expand_dims(self, arg: Handle, axis: int) -> Handle:
        """Insert a dimension of size 1."""
        return self._moved(arg, lambda data: np.expand_dims(data, batch_axis(axis)))

    def create_broadcast(self, arg: Handle, shape: Sequence[int]) -> Handle:
        """Repeat along dimensions of size 1."""
        self.note_tile(int(np.prod(shape)))
        return self._moved(arg, lambda data: np.broadcast_to(data, (len(data), *shape)))

    def create_splat(self, *arguments: Any) -> Handle:
        """Fill a block with a scalar; takes (block type, scalar), in older versions (scalar, shape)."""
        arg, shape = (arguments[1], arguments[0].shape) if not isinstance(arguments[0], Handle) else arguments
        shape = [int(getattr(n, "value", n)) for n in shape]
        self.note_tile(int(np.prod(shape)))

        def fill(data: Array) -> Array:
            first = data.reshape(len(data), -1)[:, :1].reshape((len(data),) + (1,) * len(shape))
            return np.broadcast_to(first, (len(data), *shape))

        return self._moved(arg, fill)

    def create_unsplat(self, arg: Handle) -> Handle:
        """Turn a block of one element into a scalar."""
        return self._moved(arg, lambda data: data.reshape(len(data), -1)[:, 0])

    def _together(self, *handles: Handle) -> list[Array]:
        """Give operands the same leading dimension."""
        count = max(len(handle.data) for handle in handles)
        return [np.broadcast_to(handle.data, (count, *handle.data.shape[1:])) for handle in handles]

    def create_cat(self, lhs: Handle, rhs: Handle) -> Handle:
        """Concatenate in a shuffled order: `tl.cat` calls this only if the order is the compiler's choice."""
        return Handle(_in_any_order(np.concatenate(self._together(lhs, rhs), axis=1)), lhs.dtype.scalar)

    def create_join(self, lhs: Handle, rhs: Handle) -> Handle:
        """Stack along a new last dimension."""
        self.note_tile(2 * lhs.elements)
        return Handle(np.stack(self._together(lhs, rhs), axis=-1), lhs.dtype.scalar)

    def create_split(self, val: Handle) -> tuple[Handle, Handle]:
        """Split a last dimension of size 2."""
        return self._moved(val, lambda data: data[..., 0]), self._moved(val, lambda data: data[..., 1])

    def create_gather(self, src: Handle, indices: Handle, axis: int) -> Handle:
        """Gather elements along one dimension; negative indices are out of bounds."""
        data, index = self._together(src, indices)
        size = data.shape[batch_axis(axis)]
        outside = (index < 0) | (index >= size)
        if outside.any():
            found = self.batch.live_values(index)[self.batch.live_values(outside)]
            if found.size:
                raise IndexError(f"tl.gather: index {found[0]} is out of bounds for axis {axis} with size {size}")
            index = np.where(outside, 0, index)  # of programs that are not live
        return Handle(np.take_along_axis(data, index, axis=batch_axis(axis)), src.dtype.scalar)

    def create_histogram(self, data: Handle, bins: int, mask: Handle | None) -> Handle:
        """Count values 0 .. bins - 1; others are dropped, as on a GPU."""
        self.note_tile(bins)
        values = data.data.reshape(len(data.data), -1).astype(np.int64)
        valid = (values >= 0) & (values < bins)
        if mask is not None:
            valid = valid & mask.data.reshape(len(mask.data), -1)
        programs = len(valid)
        where, values = np.arange(programs)[:, None] * bins + values, np.broadcast_to(values, valid.shape)
        counts = np.bincount(np.broadcast_to(where, valid.shape)[valid], minlength=programs * bins)
        return Handle(counts.reshape(programs, bins).astype(np.int32), tl.int32)

    def create_dot(self, a: Handle, b: Handle, d: Handle, input_precision: Any, max_imprecise: Any) -> Handle:
        """Multiply matrices and add `d`; float32 operands are truncated to TF32 unless the kernel requests more."""
        self.note_tile(d.elements)
        left, right = (self._operand(handle, input_precision) for handle in (a, b))
        if d.dtype.scalar == tl.float16:
            return Handle(_dot_in_float16(left, right, d.data), d.dtype.scalar)
        parts = _PARTS.get(str(input_precision).upper().rpartition(".")[2], 1) if a.dtype.scalar == tl.float32 else 1
        kind = numpy_dtype(d.dtype)
        product = _in_parts(left.astype(kind, copy=False), right.astype(kind, copy=False), parts)
        return Handle(product + d.data, d.dtype.scalar)

    def _operand(self, handle: Handle, input_precision: Any) -> Array:
        if is_float8(handle.dtype):
            return self.create_fp_to_fp(handle, tl.float16, None).data
        precision = str(input_precision).upper()
        if self.tf32 and handle.dtype.scalar == tl.float32 and "TF32" in precision and "X3" not in precision:
            self.rounded_to_tf32 = True
            return tf32(handle.data)
        return handle.data


def _in_any_order(data: Array) -> Array:
    """Shuffle each row, a power of two of elements, in a fixed way that no kernel can rely on."""
    count = data.shape[1]
    return data[:, (5 * np.arange(count) + 3) % count]


def _in_parts(left: Array, right: Array, count: int) -> Array:
    """Multiply matrices, each number as a sum of `count` bfloat16 ones; products of the smallest are left out."""
    lefts, rights = ([data] if count == 1 else [*_split(data, count)] for data in (left, right))
    product: Array = np.matmul(lefts[0], rights[0])
    pairs = [(i, j) for i in range(count) for j in range(count - i) if i + j]
    rest = np.asarray(sum(np.matmul(lefts[i], rights[j]) for i, j in pairs))
    return product + np.where(np.isnan(rest), 0, rest) if pairs else product  # infinity less itself counts nothing


def _split(data: Array, count: int) -> Iterator[Array]:
    for _ in range(count):
        part = round_bf16(data)
        yield part
        data = data - part


def _dot_in_float16(left: Array, right: Array, total: Array) -> Array:
    """Accumulate as tensor cores do: each instruction adds the products of 16 elements along k, and rounds once."""
    left, right = left.astype(np.float32), right.astype(np.float32)
    for k in range(0, left.shape[-1], _K_OF_FLOAT16):
        step = slice(k, k + _K_OF_FLOAT16)
        total = (np.matmul(left[..., step], right[..., step, :]) + total).astype(np.float16)
    return total


def _elements(value: Any) -> int:
    """Return the elements of all tiles in a tuple; scalars count nothing."""
    if isinstance(value, CONTAINERS):
        return sum(map(_elements, value))
    return value.handle.elements if isinstance(value, tl.tensor) and value.type.is_block() else 0
