"""`tl.reduce` and `tl.associative_scan` for a batch of programs.

Sums along the last axis keep NumPy's order of additions within a program, so results equal those of Triton's own
interpreter bit for bit: NumPy adds pairwise there, much as a GPU does. Along other axes NumPy would add one
number after the other, and lose addends that are small against the sum, unlike a GPU: there halves are added.
Sums of 16-bit floats round after every addition, as compiled code does.
Other functions combine halves repeatedly, as the threads of a GPU's warp combine their own element with another's. A
function that is only right when applied to one element after the other, as in Triton's own interpreter, is wrong on a
GPU. To show that, the second half comes first if the function is not Triton's own. Scans keep the order.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.values import Array, batch_axis, is_bf16, kernel_tuple, lift, plain, round_bf16
from tritonpuzzles.engine.interpreter.values import tensor_of as _tensor


def tensor_of(data: Array, kind: Any) -> Any:
    """Wrap a result; bfloat16 is computed in float32 and rounded here."""
    return _tensor(round_bf16(np.asarray(data)) if is_bf16(kind) else data, kind)


def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: bool = False, **context: Any) -> Any:
    """Reduce a tensor, or a tuple of tensors, along `axis`, or over all elements where it is None."""
    axis, keep_dims = plain(axis), bool(plain(keep_dims))
    if not isinstance(input, (tuple, tl.tuple)):
        return reduce((input,), axis, combine_fn, keep_dims)[0]
    _check(input, axis)
    arrays = [value.handle.data for value in input]
    return kernel_tuple(_reduce(arrays, [value.dtype for value in input], axis, combine_fn, keep_dims))


def scan(input: Any, axis: Any, combine_fn: Any, reverse: bool = False, **context: Any) -> Any:
    """Scan a tensor, or a tuple of tensors, along `axis`."""
    axis, reverse = plain(axis), bool(plain(reverse))
    if not isinstance(input, (tuple, tl.tuple)):
        return scan((input,), axis, combine_fn, reverse)[0]
    _check(input, axis)
    along = batch_axis(axis)
    arrays = [value.handle.data for value in input]
    arrays = [np.ascontiguousarray(np.flip(a, along)) for a in arrays] if reverse else arrays
    results = _scan(arrays, [value.dtype for value in input], along, combine_fn)
    results = [np.ascontiguousarray(np.flip(a, along)) for a in results] if reverse else results
    return kernel_tuple(tensor_of(a, value.dtype) for a, value in zip(results, input, strict=True))


def _check(input: Sequence[Any], axis: int | None) -> None:
    for value in input:
        if not isinstance(value, tl.tensor):
            raise ValueError(f"a reduction takes tensors, not {type(value).__name__}")
        if axis is not None and not -len(value.shape) <= axis < len(value.shape):
            raise ValueError(f"axis {axis} out of bounds for shape {[int(n) for n in value.shape]}")


def _is_standard(combine_fn: Any, name: str) -> bool:
    return combine_fn is getattr(tl.standard, name, None)


def _reduce(arrays: list[Array], kinds: list[Any], axis: int | None, combine_fn: Any, keep_dims: bool) -> list[Any]:
    data, kind = arrays[0], kinds[0]
    if _is_standard(combine_fn, "_sum_combine"):
        if kind.scalar in (tl.float16, tl.bfloat16):
            return [_sum_of_16_bits(data, kind, axis, keep_dims)]
        return [_simple(data, kind, axis, keep_dims, np.add)]
    is_float = data.dtype.kind == "f"  # tl.max and tl.min skip NaN, as the hardware does
    if _is_standard(combine_fn, "_elementwise_max"):
        return [_simple(data, kind, axis, keep_dims, np.fmax if is_float else np.maximum)]
    if _is_standard(combine_fn, "_elementwise_min"):
        return [_simple(data, kind, axis, keep_dims, np.fmin if is_float else np.minimum)]
    return _generic(arrays, kinds, axis, combine_fn, keep_dims)


def _simple(data: Array, kind: Any, axis: int | None, keep_dims: bool, op: Any) -> Any:
    axes = tuple(range(1, data.ndim)) if axis is None else batch_axis(axis)
    if op is np.add and data[:1].flags.c_contiguous is False and axis is None:
        # NumPy sums other layouts in another order when a batch dimension is in front.
        return tensor_of(np.stack([np.sum(one, keepdims=keep_dims) for one in data]), kind)
    if op is np.add:
        if isinstance(axes, int) and data.dtype.kind == "f":
            data = _halved(data, axes)
        return tensor_of(np.sum(data, axis=axes, keepdims=keep_dims), kind)
    return tensor_of(op.reduce(data, axis=axes, keepdims=keep_dims), kind)


def _halved(data: Array, along: int) -> Array:
    """Return partial sums, made by adding halves along an axis of even length; unchanged if NumPy adds pairwise."""
    if data.strides[along] == data.itemsize:  # NumPy adds these in pairs itself
        return data
    while (length := data.shape[along]) > 1 and length % 2 == 0:
        one, other = np.split(data, 2, axis=along)
        data = one + other
    return data


def _sum_of_16_bits(data: Array, kind: Any, axis: int | None, keep_dims: bool) -> Any:
    """Add in 16 bits in two orders, neighbours first and halves first, as a GPU's order depends on the layout.

    A sum that overflows in the second order is not finite, even if it is finite in the first.
    """
    along = 1 if axis is None else batch_axis(axis)
    near = far = np.moveaxis(data.reshape(len(data), -1) if axis is None else data, along, -1)
    while (length := near.shape[-1]) > 1:
        near = _rounded(near[..., ::2] + near[..., 1::2], kind)
        far = _rounded(far[..., : length // 2] + far[..., length // 2 :], kind)
    total = np.where(np.isfinite(far), near, far)[..., 0]
    if keep_dims:
        total = lift(total, data.ndim - 1) if axis is None else np.expand_dims(total, along)
    return tensor_of(total, kind)


def _rounded(data: Array, kind: Any) -> Array:
    return round_bf16(data) if is_bf16(kind) else data


def _generic(arrays: list[Array], kinds: list[Any], axis: int | None, combine_fn: Any, keep_dims: bool) -> list[Any]:
    rank = arrays[0].ndim - 1
    flat = [a.reshape(len(a), -1) for a in arrays] if axis is None else arrays
    along = 1 if axis is None else batch_axis(axis)
    turn = 1 if combine_fn.__module__.startswith("triton.") else -1
    while flat[0].shape[along] > 1:
        halves = [np.split(a, 2, axis=along)[::turn] for a in flat]
        flat = _combine(combine_fn, [one for one, _ in halves], [other for _, other in halves], kinds, along)
    one = [np.take(a, 0, axis=along) for a in flat]
    if keep_dims:
        one = [lift(a, rank) if axis is None else np.expand_dims(a, along) for a in one]
    return [tensor_of(a, kind) for a, kind in zip(one, kinds, strict=True)]


def _scan(arrays: list[Array], kinds: list[Any], along: int, combine_fn: Any) -> list[Array]:
    for name, accumulate in (("_sum_combine", np.cumsum), ("_prod_combine", np.cumprod)):
        if _is_standard(combine_fn, name) and not is_bf16(kinds[0]):
            return [accumulate(arrays[0], axis=along, dtype=arrays[0].dtype)]
    length, step = arrays[0].shape[along], 1
    place = np.arange(length).reshape((-1,) + (1,) * (arrays[0].ndim - 1 - along))
    while step < length:
        earlier = [np.roll(a, step, axis=along) for a in arrays]
        joined = _combine(combine_fn, earlier, arrays, kinds, along)
        arrays = [np.where(place < step, a, j) for a, j in zip(arrays, joined, strict=True)]
        step *= 2
    return arrays


def _joined(parts: Sequence[Array], along: int) -> Array:
    count = max(len(part) for part in parts)
    return np.concatenate([np.broadcast_to(part, (count, *part.shape[1:])) for part in parts], axis=along)


def _combine(combine_fn: Any, left: list[Array], right: list[Array], kinds: list[Any], along: int) -> list[Array]:
    """Combine the elements of two tensors; one by one if the function branches, as a branch needs scalars."""
    if not _branches(combine_fn):
        return _combined(combine_fn, left, right, kinds)
    one_by_one = [
        _combined(
            combine_fn, [np.take(a, i, axis=along) for a in left], [np.take(a, i, axis=along) for a in right], kinds
        )
        for i in range(left[0].shape[along])
    ]
    return [_joined([np.expand_dims(step[i], along) for step in one_by_one], along) for i in range(len(left))]


def _branches(combine_fn: Any) -> bool:
    return any(isinstance(node, (ast.If, ast.IfExp, ast.While)) for node in ast.walk(combine_fn.parse()))


def _combined(combine_fn: Any, left: list[Array], right: list[Array], kinds: list[Any]) -> list[Array]:
    pairs = [[tensor_of(a, kind) for a, kind in zip(part, kinds, strict=True)] for part in (left, right)]
    result = combine_fn(*pairs[0], *pairs[1])
    values = list(result) if isinstance(result, (tuple, tl.tuple)) else [result]
    return [_as_tensor(value, like).handle.data for value, like in zip(values, pairs[0], strict=True)]


def _as_tensor(value: Any, like: Any) -> Any:
    data = value.handle.data if isinstance(value, tl.tensor) else np.array([plain(value)])
    if data.ndim != like.handle.data.ndim:
        data = np.broadcast_to(data.reshape((-1,) + (1,) * (like.handle.data.ndim - 1)), like.handle.data.shape)
    return tensor_of(data, like.dtype)
