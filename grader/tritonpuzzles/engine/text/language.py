"""What of Triton and Python a kernel may name: modules of the language, and what in them is made for kernels."""

from __future__ import annotations

import builtins
import enum
import importlib
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import triton
import triton.language as tl

from tritonpuzzles.engine.text.attributes import may_ask
from tritonpuzzles.insides import CodeGenerator, JITCallable

LANGUAGE = "triton.language"
MISSING = object()
_DEVICE_LIBRARY = "triton.language.extra.libdevice"
TOP_LEVEL = ("language", "cdiv", "next_power_of_2")
_CLASSES = (
    *("block_type", "condition", "const", "constexpr", "dtype", "pointer_type", "range", "slice", "static_range"),
    *("tensor", "tensor_descriptor", "tensor_descriptor_type", "tuple", "tuple_type", "PropagateNan", "constexpr_type"),
)
_BUILT = ("condition", "constexpr", "pointer_type", "range", "slice", "static_range", "tuple", "block_type", "dtype")
BUILTINS = (
    *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "getattr", "hasattr", "int", "isinstance"),
    *(
        "len",
        "list",
        "max",
        "min",
        "pow",
        "print",
        "range",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
    ),
    *("tuple", "zip", "AssertionError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"),
)
BY_NAME = ("getattr", "hasattr")  # allowed under their own names only, where it is seen what they ask for


class ForbiddenError(Exception):
    """A name that is not for kernels; the message is one sentence."""


def python_builtins() -> dict[str, Any]:
    """Return all that a kernel finds of Python's builtins."""
    return {name: getattr(builtins, name) for name in BUILTINS} | _GUARDED


def guard_compiler() -> None:
    """Have Triton's compiler, which keeps builtins of its own for kernels, use the guarded ones."""
    CodeGenerator.builtin_namespace.update(_GUARDED)


def _guarded(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """Return `getattr` or `hasattr` for kernels: what they ask for is looked at when they are called."""

    def ask(value: Any, name: Any, *default: Any) -> Any:
        if type(name) is not str or not may_ask(name):
            raise AttributeError(f"a value in a kernel has no `{name}`")
        return builtin(tl.core._unwrap_if_constexpr(value), name, *default)

    return ask


_GUARDED = {"getattr": _guarded(getattr), "hasattr": _guarded(hasattr)}


def language_classes() -> list[type]:
    """Return the classes of the language that kernels name."""
    return [getattr(tl, name) for name in _CLASSES if isinstance(getattr(tl, name, None), type)]


def can_be_built(kind: type) -> bool:
    """Whether a kernel may call a class of the language: `tl.constexpr(3)`, but not `tl.tensor(...)`."""
    return any(getattr(tl, name, None) is kind for name in _BUILT)


def is_language_module(value: object) -> bool:
    """Whether a value is a module of Triton's language, or `triton` itself."""
    if not isinstance(value, ModuleType):
        return False
    return value is triton or value.__name__ == LANGUAGE or value.__name__.startswith(f"{LANGUAGE}.")


def named(dotted: str) -> Any:
    """Return what a dotted name of Triton or Python stands for.

    Raises:
        ForbiddenError: there is no such thing, or it is not for kernels.
    """
    first, *rest = dotted.split(".")
    if first == "math":
        value = math if not rest else member(math, ".".join(rest))
    elif first == "builtins":
        name = ".".join(rest)
        value = MISSING if name in (*BY_NAME, "list") else python_builtins().get(name, MISSING)
    else:
        value = _of_triton(dotted)
    if value is MISSING:
        raise ForbiddenError(f"{dotted} is nothing that a kernel can name")
    return value


def _of_triton(dotted: str) -> Any:
    if dotted == "triton":
        return triton
    if dotted != LANGUAGE and not dotted.startswith(f"{LANGUAGE}."):
        owner, _, name = dotted.rpartition(".")
        return member(triton, name) if owner == "triton" else MISSING
    value: Any = tl
    for name in dotted.split(".")[2:]:
        value = member(value, name) if is_language_module(value) else MISSING
    return value


def member(module: ModuleType, name: str) -> Any:
    """Return what a module of the language, or `math`, has under a name; `MISSING` where there is nothing.

    Raises:
        ForbiddenError: there is something, and it is not for kernels.
    """
    value = vars(module).get(name, MISSING)
    if value is MISSING and is_language_module(module) and not name.startswith("_"):
        value = _submodule(f"{module.__name__}.{name}")
    if value is MISSING or (module is math and not name.startswith("_")):
        return value
    if name.startswith("_") or not (name in TOP_LEVEL if module is triton else _is_for_kernels(value)):
        raise ForbiddenError(f"{module.__name__}.{name} is a part of Triton that is not for kernels")
    return value


def _submodule(dotted: str) -> Any:
    """Return a module of the language that nobody has imported yet, as the learner's file may have."""
    if not dotted.startswith(f"{LANGUAGE}."):
        return MISSING
    try:
        return importlib.import_module(dotted)
    except ImportError:
        return MISSING


def _is_for_kernels(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return is_language_module(value) and value is not triton
    if isinstance(value, type):
        return value in language_classes()
    plain = (bool, int, float, str, type(None), enum.Enum, tl.dtype, tl.constexpr, JITCallable)
    empty = getattr(value, "__module__", None) == _DEVICE_LIBRARY  # functions that a backend fills in
    return isinstance(value, plain) or empty or bool(tl.core.is_builtin(value))
