"""Resolve the names of a text: the function's own, described ones, Python's, or none; and build their objects."""

from __future__ import annotations

import ast
import collections
from collections.abc import Mapping
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import triton.language as tl

from tritonpuzzles.engine.text.language import MISSING, ForbiddenError, is_language_module, member, named
from tritonpuzzles.wire.kernels import KernelText, inside
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


class Scope:
    """The names of one kernel's text."""

    def __init__(self, kernel: KernelText, function: ast.FunctionDef) -> None:
        self.described = kernel.names
        self._function = function

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that the function assigns anywhere, or has as parameters."""
        nodes = list(ast.walk(self._function))
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        inner = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node is not self._function}
        return frozenset(stored | inner | {node.arg for node in nodes if isinstance(node, ast.arg)})

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields of all NamedTuple classes that are described."""
        classes = (value for value in inside(self.described.values()) if isinstance(value, TupleClass))
        return frozenset(field for one in classes for field in one.fields)

    def is_module(self, name: str) -> bool:
        """Whether a name was described as a module."""
        match self.described.get(name):
            case Module() | Python("math"):
                return True
            case Language(dotted):
                return is_language_module(named(dotted))
            case _:
                return False

    def follow(self, name: str, chain: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        """Resolve a dotted name through modules; return what it reaches, and the remaining attributes.

        `name` is described. The result is an object of the language, or a description; `MISSING` if there is none.
        Raises ForbiddenError if it leads into a part of Triton that is not for kernels.
        """
        value: Any = self.described[name]
        while True:
            if isinstance(value, (Language, Python)):
                value = named(value.name)
            if not chain or not isinstance(value, (Module, ModuleType)):
                return value, chain
            value, chain = _inside(value, chain[0]), chain[1:]
            if value is MISSING:
                return value, chain


def _inside(module: Module | ModuleType, name: str) -> Value | Any:
    if isinstance(module, Module):
        if name.startswith("__"):
            raise ForbiddenError(f"{module.name}.{name} is Python's own and not for kernels")
        return module.attributes.get(name, MISSING)
    return member(module, name)


def is_unknown(value: object) -> bool:
    """Return whether a description is, or contains, an `Unknown`: an object that could not be described."""
    match value:
        case Unknown():
            return True
        case Items(items):
            return any(map(is_unknown, items))
        case Constexpr(inner):
            return is_unknown(inner)
        case _:
            return False


def named_object(value: Value, kernels: Mapping[int, Any]) -> Any:
    """Return the object of a global name, which may be a module.

    Before anything runs, the check resolves every name that a kernel uses in a module. A module is allowed nowhere
    else: as an element or an argument it would expose all its attributes.
    """
    match value:
        case Module(name, attributes):
            module = ModuleType(name)  # with only the described attributes; the compiler needs a real module
            vars(module).update({key: named_object(item, kernels) for key, item in attributes.items()})
            return module
        case Language(name) | Python(name):
            return named(name)
        case _:
            return made(value, kernels)


def made(value: Value, kernels: Mapping[int, Any]) -> Any:
    """Return the object of a description, which may not be a module.

    `kernels` are those built so far, by index; a stand-in replaces one that is not. Raises ForbiddenError if Triton has
    no such object, or it is not for kernels.
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


@cache
def _tuple_class(name: str, fields: tuple[str, ...]) -> Any:
    try:
        return collections.namedtuple(name, fields, module=__name__)
    except ValueError as error:
        raise ForbiddenError(f"the NamedTuple {name} cannot be made: {error}") from error


def _stand_in(kind: str, name: str, called: bool) -> Any:
    """Return a useless object whose type has the given name; the compiler will report an error for it."""
    if kind == "type":
        return type(name or kind, (), {})
    members: dict[str, Any] = {"__repr__": lambda self: f"<{kind} {name}>" if name else f"<{kind}>"}
    if called:
        members["__call__"] = _refuse
    return type(kind, (), members)()


def _refuse(self: Any, *args: Any, **kwargs: Any) -> None:
    raise TypeError(f"{self!r} cannot be called in a kernel")
