"""PyTorch's operations by what they are to a host function: memory, a fill, a copy, a view; all others are work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tritonpuzzles.recorder.tensors import Recorded
from tritonpuzzles.wire.observed import spanned

UNINITIALISED = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"})
ZEROS = frozenset({"zeros", "zeros_like", "new_zeros", "zero_"})
ONES = frozenset({"ones", "ones_like", "new_ones"})
FULL: Mapping[str, int] = {"full": 1, "full_like": 1, "new_full": 2, "fill_": 1}  # where the value stands
ALLOCATIONS = UNINITIALISED | ZEROS - {"zero_"} | ONES | FULL.keys() - {"fill_"}
FILLS = frozenset({"zero_", "fill_"})
COPIES = frozenset({"clone", "contiguous"})
VIEWS = frozenset(
    [
        *("view", "_unsafe_view", "reshape", "_reshape_alias", "as_strided", "alias", "detach", "lift_fresh"),
        *("t", "transpose", "permute", "mT", "movedim", "expand", "unsqueeze", "squeeze", "view_as_real"),
        *("slice", "select", "narrow", "split", "split_with_sizes", "unbind", "unfold", "diagonal"),
    ]
)


def alike(meta: Tensor, dtype: torch.dtype | None, memory_format: torch.memory_format | None) -> Tensor:
    """Return a meta tensor as `torch.empty_like` gives it: dense, its dimensions in the order of the strides.

    PyTorch's own does so too, but imports sympy for it, which takes half a second.
    """
    shape, stride = tuple(meta.shape), meta.stride()
    order = list(range(meta.ndim))
    if memory_format in (None, torch.preserve_format) and 0 not in stride:
        order.sort(key=lambda axis: -stride[axis])
    dense, step = [0] * meta.ndim, 1
    for axis in reversed(order):
        dense[axis], step = step, step * max(1, shape[axis])
    return torch.empty_strided(shape, dense, dtype=dtype or meta.dtype, device="meta")


def filling(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the number that an operation fills memory with; `None` for one that fills with nothing."""
    if name in ZEROS:
        return 0
    if name in ONES:
        return 1
    if name in FULL:
        place = FULL[name]
        return kwargs["fill_value"] if "fill_value" in kwargs else kwargs.get("value", args[place:][0])
    return None


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested lists, tuples and dictionaries with a function applied to what lies in them."""
    if isinstance(value, dict):
        return {key: mapped(function, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [mapped(function, item) for item in value]
        return type(value)(items) if type(value) in (list, tuple) else tuple(items)
    return function(value)


def look_inside(meta: Tensor) -> None:
    """Raise what PyTorch does for a view that leaves its storage: of a tensor without numbers it sees none.

    Raises:
        RuntimeError: it does.
    """
    size = meta.element_size() * (int(meta.storage_offset()) + spanned(meta.shape, meta.stride()))
    if meta.numel() and size > (nbytes := meta.untyped_storage().nbytes()):
        form = f"sizes {list(meta.shape)}, strides {list(meta.stride())}, storage offset {meta.storage_offset()}"
        needed = f"itemsize {meta.element_size()} requiring a storage size of {size}"
        raise RuntimeError(f"setStorage: {form}, and {needed} are out of bounds for storage of size {nbytes}")


def number_in(item: Any) -> Any:
    """Return the number that a constant of the host function's own holds: `y[0] = 1` makes such a tensor."""
    constant = isinstance(item, Tensor) and not isinstance(item, Recorded) and item.ndim == 0
    return item.item() if constant else item


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
