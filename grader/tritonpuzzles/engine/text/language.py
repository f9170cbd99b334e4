"""The names of Triton and Python that a kernel may use, and the attributes that it may read from a value.

Attributes are judged by name alone, as a value's type is unknown before it runs. There are three kinds. `ALLOWED` names
are harmless on any object. A name that no reachable object has is harmless too: Python and Triton's compiler report it
as missing, with messages that learners know. All other names are refused: `present(name)`.
"""

from __future__ import annotations

import builtins
import enum
import importlib
import inspect
import math
import pkgutil
import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import triton
import triton.language as tl

from tritonpuzzles.engine import interpreter
from tritonpuzzles.insides import CodeGenerator, JITCallable, jit

_TOLD = ("tritonpuzzles.wire.facts", "tritonpuzzles.results")  # modules of facts
LANGUAGE = "triton.language"
MISSING = object()
_DEVICE_LIBRARY = "triton.language.extra.libdevice"
TOP_LEVEL = ("language", "cdiv", "next_power_of_2")
_CLASSES = (
    *("block_type", "condition", "const", "constexpr", "dtype", "pointer_type", "range", "slice", "static_range"),
    *("tensor", "tensor_descriptor", "tensor_descriptor_type", "tuple", "tuple_type", "PropagateNan", "constexpr_type"),
)
_BUILT = ("condition", "constexpr", "pointer_type", "range", "slice", "static_range", "tuple", "block_type", "dtype")
_PYTHON = """
    abs all any bool dict divmod enumerate float getattr hasattr int isinstance len list max min pow print range
    reversed round set slice sorted str sum tuple zip
    AssertionError NotImplementedError RuntimeError TypeError ValueError
"""
BUILTINS = tuple(_PYTHON.split())
BY_NAME = ("getattr", "hasattr")  # allowed only in direct calls, where the requested attribute can be checked

_TENSOR = """
    T abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min
    atomic_or atomic_poll atomic_store atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod cumsum dtype erf
    exp exp2 expand_dims flip floor gather histogram item load log log2 logical_and logical_or max min numel permute
    ravel reduce reduce_or reshape rsqrt scatter shape sigmoid sin softmax sort split sqrt sqrt_rn squeeze store strides
    sum to trans type unsqueeze view xor_sum block_shape block_type
"""
_DTYPE = """
    address_space const element_ty exponent_bias fp_mantissa_width get_block_shapes get_int_max_value
    get_int_min_value int_bitwidth int_signedness is_bf16 is_block is_bool is_const is_dtype is_floating is_fp16 is_fp32
    is_fp64 is_fp8 is_fp8e4b15 is_fp8e4b8 is_fp8e4nv is_fp8e5 is_fp8e5b16 is_int is_int1 is_int16 is_int32 is_int64
    is_int8 is_int_signed is_int_unsigned is_ptr is_standard_floating is_uint16 is_uint32 is_uint64 is_uint8 is_void
    itemsize kind name nbytes primitive_bitwidth scalar with_element_ty NONE ALL SIGNED UNSIGNED
"""
_PLAIN = "value bit_length bit_count index count keys values items get"
ALLOWED = frozenset(f"{_TENSOR} {_DTYPE} {_PLAIN}".split())

CHANGING = ("append", "extend", "insert", "pop", "remove", "reverse")  # of lists, only in constexpr functions

_FRAMES = re.compile(r"(f|gi|cr|ag|tb|co|func|im)_")  # attributes that lead to frames, code and other internals
_OWN = re.compile(r"\bself\.([A-Za-z]\w*)")
_HARMLESS_OF_ARRAYS = {
    *("all", "any", "astype", "clip", "conj", "dot", "flatten", "mean", "ndim", "prod", "real", "imag", "repeat"),
    *("round", "size", "std", "swapaxes", "transpose", "var"),
}


class ForbiddenError(Exception):
    """A name that kernels may not use; the message is one sentence."""


def python_builtins() -> dict[str, Any]:
    """Return the Python builtins that a kernel may use."""
    return {name: getattr(builtins, name) for name in BUILTINS} | _GUARDED


def guard_compiler() -> None:
    """Make Triton's compiler, which has its own table of builtins for kernels, use the guarded ones."""
    CodeGenerator.builtin_namespace.update(_GUARDED)


def _guarded(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """Return `getattr` or `hasattr` for kernels: each call checks the name of the attribute."""

    def ask(value: Any, name: Any, *default: Any) -> Any:
        if type(name) is not str or not may_ask(name):
            raise AttributeError(f"a value in a kernel has no `{name}`")
        return builtin(tl.core._unwrap_if_constexpr(value), name, *default)

    return ask


_GUARDED = {"getattr": _guarded(getattr), "hasattr": _guarded(hasattr)}


def language_classes() -> list[type]:
    """Return the classes of the language that kernels may name."""
    return [getattr(tl, name) for name in _CLASSES if isinstance(getattr(tl, name, None), type)]


def can_be_built(kind: type) -> bool:
    """Return whether a kernel may call a class of the language: `tl.constexpr(3)`, but not `tl.tensor(...)`."""
    return any(getattr(tl, name, None) is kind for name in _BUILT)


def is_language_module(value: object) -> bool:
    """Return whether a value is a module of Triton's language, or `triton` itself."""
    if not isinstance(value, ModuleType):
        return False
    return value is triton or value.__name__ == LANGUAGE or value.__name__.startswith(f"{LANGUAGE}.")


def named(dotted: str) -> Any:
    """Return the object of a dotted name of Triton or Python; raises ForbiddenError if there is none for kernels."""
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
    """Return an attribute of a module of the language, or of `math`; `MISSING` if there is none.

    Raises ForbiddenError if it exists, but is not for kernels.
    """
    value = vars(module).get(name, MISSING)
    if value is MISSING and is_language_module(module) and not name.startswith("_"):
        value = _submodule(f"{module.__name__}.{name}")
    if value is MISSING or (module is math and not name.startswith("_")):
        return value
    private = name.startswith("_") and not isinstance(value, JITCallable)  # these are the language's own
    if private or not (name in TOP_LEVEL if module is triton else _is_for_kernels(value)):
        raise ForbiddenError(f"{module.__name__}.{name} is a part of Triton that is not for kernels")
    return value


def _submodule(dotted: str) -> Any:
    """Import a module of the language that is not imported here yet, but may be in the learner's file."""
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


def may_ask(name: str) -> bool:
    """Return whether a kernel may read this attribute of any value, and so whether its NamedTuples may have it."""
    return name in ALLOWED or not present(name)


def present(name: str) -> bool:
    """Return whether some object that a kernel can reach may have this attribute."""
    return name.startswith("_") or bool(_FRAMES.match(name)) or name in _present()


@cache
def _present() -> frozenset[str]:
    found: set[str] = set()
    for kind in _classes():
        annotations = vars(kind).get("__annotations__")
        found |= set(dir(kind)) | set(annotations if isinstance(annotations, dict) else ())
    for module in (triton, tl, *_modules()):
        found |= {name for name, value in vars(module).items() if isinstance(value, ModuleType)}
    for module in _modules():
        found |= set(_OWN.findall(inspect.getsource(module)))
    found |= set(vars(tl.sum)) | set(dir(np.ndarray)) - _HARMLESS_OF_ARRAYS
    return frozenset(found) - ALLOWED


def _modules() -> Iterator[ModuleType]:
    """Yield the modules whose objects a kernel can reach, compiled or interpreted."""
    yield from (tl.core, tl.math, jit)
    for item in pkgutil.iter_modules(interpreter.__path__, f"{interpreter.__name__}."):
        yield importlib.import_module(item.name)


def _classes() -> Iterator[type]:
    """Yield the classes in those modules; classes of facts are left out, as a kernel cannot reach them."""
    for module in (builtins, types, *_modules()):
        classes = [item for item in vars(module).values() if isinstance(item, type)]
        known = (item for item in classes if item.__module__.startswith(("builtins", "types", "triton")))
        yield from (item for item in known if not item.__module__.startswith(_TOLD))
