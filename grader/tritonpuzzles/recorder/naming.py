"""Find out by which name something of Triton or Python can be found again in another process."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import triton
import triton.language as tl

_LANGUAGE = "triton.language"
_TOP_LEVEL = ("cdiv", "next_power_of_2")


def language_name(value: Any) -> str | None:
    """Return the dotted name of a part of Triton's language: "triton.language.core.load"; `None` for all else."""
    if isinstance(value, ModuleType):
        name = value.__name__
        return name if name == "triton" or _is_language(name) else None
    if any(getattr(triton, name) is value for name in _TOP_LEVEL):
        return f"triton.{next(name for name in _TOP_LEVEL if getattr(triton, name) is value)}"
    return next((name for name in _candidates(value) if _found(name) is value), None)


def _is_language(module: object) -> bool:
    return isinstance(module, str) and (module == _LANGUAGE or module.startswith(f"{_LANGUAGE}."))


def _candidates(value: Any) -> Iterator[str]:
    """Yield where a value may be: where it says, else under any name of the language's modules."""
    home, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not _is_language(home):
        return
    yield f"{home}.{own}"
    for module in [tl, *(item for name, item in sorted(sys.modules.items()) if _is_language(name))]:
        yield from (f"{module.__name__}.{name}" for name, item in vars(module).items() if item is value)


def _found(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return vars(sys.modules.get(module) or tl).get(name)


def python_name(value: Any) -> str | None:
    """Return the dotted name of Python's `math`, of what is in it, or of a builtin; `None` for all else."""
    if value is math:
        return "math"
    own = getattr(value, "__name__", None)
    if not isinstance(own, str):
        return None
    if vars(math).get(own) is value:
        return f"math.{own}"
    return f"builtins.{own}" if vars(builtins).get(own) is value else None


def dtype_name(value: Any) -> str | None:
    """Return Triton's short name of a scalar dtype or of a pointer to one: "fp32", "*fp32"."""
    if isinstance(value, tl.pointer_type):
        inner = dtype_name(value.element_ty)
        return None if inner is None else f"*{inner}"
    return str(value.name) if type(value) is tl.dtype else None
