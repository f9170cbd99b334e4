"""Make of a description what a name in a kernel stands for."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

import triton.language as tl

from tritonpuzzles.engine.text.language import ForbiddenError, named
from tritonpuzzles.wire.values import (
    Constant,
    Constexpr,
    Dtype,
    Items,
    KernelAt,
    Language,
    Module,
    Python,
    TupleClass,
    Unknown,
    Value,
)


def named_object(value: Value, kernels: Mapping[int, Any]) -> Any:
    """Return the object that a global name stands for, which may be a module.

    The check follows what a kernel names in a module before anything runs. Nowhere else may one be: as an element or
    an argument it would open all that it holds.
    """
    match value:
        case Module(name, attributes):
            return _module(name, {key: named_object(item, kernels) for key, item in attributes.items()})
        case Language(name) | Python(name):
            return named(name)
        case _:
            return made(value, kernels)


def made(value: Value, kernels: Mapping[int, Any]) -> Any:
    """Return the object that a description stands for, which is no module.

    Args:
        value: the description.
        kernels: what has been built, by its index; a stand-in takes the place of what has not.

    Raises:
        ForbiddenError: Triton has no such thing, or it is not for kernels.
    """
    match value:
        case Constant(plain):
            return plain
        case Items(items):
            return tuple(made(item, kernels) for item in items)
        case Constexpr(inner):
            return tl.constexpr(made(inner, kernels))
        case Dtype(name):
            return _dtype(name)
        case Language(name) | Python(name) if not isinstance(named(name), ModuleType):
            return named(name)
        case Language(name) | Python(name) | Module(name):
            raise ForbiddenError(f"the module {name} is used as a value")
        case KernelAt(index):
            return kernels[index] if index in kernels else _stand_in("function", f"kernel_{index}", called=True)
        case TupleClass(name, fields):
            return _tuple_class(name, fields)
        case Unknown(kind, name, called):
            return _stand_in(kind, name, called)


def _dtype(name: str) -> Any:
    if name.startswith("*"):
        return tl.pointer_type(_dtype(name[1:]))
    try:
        return tl.dtype(name)
    except (AssertionError, RuntimeError, ValueError) as error:
        raise ForbiddenError(f"{name} is no dtype of this version of Triton") from error


def _module(name: str, attributes: dict[str, Any]) -> ModuleType:
    """Return a module that holds what was described and nothing else; the compiler wants a real one."""
    module = ModuleType(name)
    vars(module).update(attributes)
    return module


@cache
def _tuple_class(name: str, fields: tuple[str, ...]) -> Any:
    try:
        return collections.namedtuple(name, fields, module=__name__)
    except ValueError as error:
        raise ForbiddenError(f"the NamedTuple {name} cannot be made: {error}") from error


def _stand_in(kind: str, name: str, called: bool) -> Any:
    """Return something of the type's name that is good for nothing; the compiler says what is wrong with it."""
    if kind == "type":
        return type(name or kind, (), {})
    members: dict[str, Any] = {"__repr__": lambda self: f"<{kind} {name}>" if name else f"<{kind}>"}
    if called:
        members["__call__"] = _refuse
    return type(kind, (), members)()


def _refuse(self: Any, *args: Any, **kwargs: Any) -> None:
    raise TypeError(f"{self!r} cannot be called in a kernel")
