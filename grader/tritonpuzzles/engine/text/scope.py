"""What the names of a text stand for: the function's own, what was described, Python's, or nothing."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

from tritonpuzzles.engine.text.language import MISSING, ForbiddenError, is_language_module, member, named
from tritonpuzzles.wire.kernels import KernelText
from tritonpuzzles.wire.values import Constexpr, Items, Language, Module, Python, TupleClass, Unknown, Value


@dataclass(frozen=True)
class Target:
    """What a dotted name leads to.

    Attributes:
        value: a part of the language, or a description; `MISSING` where there is nothing.
        rest: attributes that are asked of it.
    """

    value: Any
    rest: tuple[str, ...]


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
        found, waiting = set(), list(self.described.values())
        while waiting:
            match waiting.pop():
                case TupleClass(_, fields):
                    found |= set(fields)
                case Module(_, attributes):
                    waiting += attributes.values()
                case Items(items):
                    waiting += items
                case Constexpr(inner):
                    waiting.append(inner)
                case _:
                    pass
        return frozenset(found)

    def is_module(self, name: str) -> bool:
        """Whether a name was described as a module."""
        match self.described.get(name):
            case Module() | Python("math"):
                return True
            case Language(dotted):
                return is_language_module(named(dotted))
            case _:
                return False

    def follow(self, name: str, chain: tuple[str, ...]) -> Target:
        """Return what a dotted name leads to; `name` was described.

        Raises:
            ForbiddenError: it leads into a part of Triton that is not for kernels.
        """
        value: Any = self.described[name]
        while True:
            if isinstance(value, (Language, Python)):
                value = named(value.name)
            if not chain or not isinstance(value, (Module, ModuleType)):
                return Target(value, chain)
            value = _inside(value, chain[0])
            chain = chain[1:]
            if value is MISSING:
                return Target(value, chain)


def _inside(module: Module | ModuleType, name: str) -> Value | Any:
    if isinstance(module, Module):
        if name.startswith("__"):
            raise ForbiddenError(f"{module.name}.{name} is Python's own and not for kernels")
        return module.attributes.get(name, MISSING)
    return member(module, name)


def is_unknown(value: object) -> bool:
    """Whether a description stands for something that did not travel, or holds it."""
    match value:
        case Unknown():
            return True
        case Items(items):
            return any(map(is_unknown, items))
        case Constexpr(inner):
            return is_unknown(inner)
        case _:
            return False
