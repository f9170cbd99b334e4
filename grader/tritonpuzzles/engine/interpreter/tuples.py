"""Tuples of a kernel, as Triton's compiler has them: lists and tuples that are written out are its own `tl.tuple`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import triton.language as tl


def kernel_tuple(items: Iterable[Any], fields: tuple[str, ...] | None = None) -> Any:
    """Return a `tl.tuple` of tensors and of what the compiler knows; a NamedTuple's has fields."""
    values = list(items)
    types = [value.type if isinstance(value, tl.core.base_value) else tl.constexpr(value).type for value in values]
    return tl.tuple(values, tl.tuple_type(types, fields))


def is_tuple(value: Any) -> bool:
    """Whether a value is a tuple of a kernel's, or one of Python's, such as a NamedTuple."""
    return isinstance(value, (tuple, tl.tuple))


def remade(like: Any, items: list[Any]) -> Any:
    """Return a tuple of other items, of the same kind."""
    if isinstance(like, tl.tuple):
        return kernel_tuple(items, like.type.fields)
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
