"""PyTorch's operations by what they are to a host function: memory, a fill, a copy, a view; all others are work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

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
