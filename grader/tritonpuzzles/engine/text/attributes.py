"""Which attributes a kernel may ask of a value, by name alone: nobody knows a value's type before it runs.

Three kinds. `ALLOWED` harms nobody on anything. A name that no object within reach has is harmless too, for Python and
Triton's compiler say that it is missing, in words that learners know. All the rest is refused: `present(name)`.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import numpy as np
import triton
import triton.language as tl

from tritonpuzzles.engine import interpreter
from tritonpuzzles.insides import jit

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

CHANGING = ("append", "extend", "insert", "pop", "remove", "reverse")  # lists, which constexpr functions alone have

_FRAMES = re.compile(r"(f|gi|cr|ag|tb|co|func|im)_")  # the ways from a function to the interpreter that runs it
_OWN = re.compile(r"\bself\.([A-Za-z]\w*)")
_HARMLESS_OF_ARRAYS = {
    *("all", "any", "astype", "clip", "conj", "dot", "flatten", "mean", "ndim", "prod", "real", "imag", "repeat"),
    *("round", "size", "std", "swapaxes", "transpose", "var"),
}


def may_ask(name: str, fields: frozenset[str] = frozenset()) -> bool:
    """Whether a kernel may ask any value for this attribute; `fields` are those of its NamedTuples."""
    return name in ALLOWED or (name in fields and field_allowed(name)) or not present(name)


def field_allowed(name: str) -> bool:
    """Whether a NamedTuple may have a field of this name: not if something else keeps its inside under it."""
    return name in ALLOWED or not present(name)


def present(name: str) -> bool:
    """Whether some object that a kernel can get hold of may have this attribute."""
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
    """Yield the modules whose objects kernels are made of, compiled or interpreted."""
    yield from (tl.core, tl.math, jit)
    for item in pkgutil.iter_modules(interpreter.__path__, f"{interpreter.__name__}."):
        yield importlib.import_module(item.name)


def _classes() -> Iterator[type]:
    for module in (builtins, types, *_modules()):
        classes = [item for item in vars(module).values() if isinstance(item, type)]
        yield from (item for item in classes if item.__module__.startswith(("builtins", "types", "triton")))
