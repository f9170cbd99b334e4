"""NVIDIA's device library on the CPU, such as `libdevice.tanh(x)`, and single float32 instructions of PTX.

Kernels use the library through `triton.language.extra.libdevice`, whose functions are empty until a GPU backend fills
them in, or through `triton.language.extra.cuda.libdevice`. Either way a function selects a symbol by the dtypes of its
arguments (`__nv_tanhf`), and passes it to the builder. Results are computed in float64 and rounded once, so the last
digits may differ from a GPU's. A symbol without an entry here is refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import torch
import triton.language as tl
from torch import Tensor

from tritonpuzzles.engine.interpreter.errors import NotOnCpu
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.insides import cuda_libdevice as filled
from tritonpuzzles.insides import libdevice as unfilled

Elementwise = Callable[..., Tensor]

_TORCH = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "ceil", "copysign", "cos", "cosh", "div"),
    *("erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "fmod", "hypot", "lgamma", "log", "log10", "log1p"),
    *("log2", "mul", "pow", "rsqrt", "sin", "sinh", "sqrt", "sub", "tan", "tanh", "trunc", "add", "signbit"),
)
_WHOLE = {"rn": torch.round, "rd": torch.floor, "ru": torch.ceil, "rz": torch.trunc}  # rounding modes
_FUNCTIONS: dict[str, Elementwise] = {
    **{name: getattr(torch, name) for name in _TORCH},
    **{f"{kind}2int_{mode}": function for kind in ("float", "double") for mode, function in _WHOLE.items()},
    "cbrt": lambda x: torch.copysign(x.abs() ** (1 / 3), x),
    "cospi": lambda x: torch.cos(math.pi * torch.fmod(x, 2)),
    "erfcx": torch.special.erfcx,
    "exp10": lambda x: torch.pow(10.0, x),
    "fabs": torch.abs,
    "fdim": lambda x, y: torch.where(x <= y, torch.zeros_like(x), x - y),
    "fdivide": torch.div,
    "finite": torch.isfinite,
    "fma": lambda x, y, z: x * y + z,
    "isfinite": torch.isfinite,
    "isinf": torch.isinf,
    "isnan": torch.isnan,
    "llabs": torch.abs,
    "llrint": torch.round,
    "nearbyint": torch.round,  # halves to even
    "normcdf": torch.special.ndtr,
    "powi": torch.pow,
    "rcp": torch.reciprocal,
    "rint": torch.round,
    "round": lambda x: torch.trunc(x + torch.copysign(torch.tensor(0.5, dtype=x.dtype), x)),  # halves away from 0
    "saturate": lambda x: x.clamp(0, 1).nan_to_num(),
    "sinpi": lambda x: torch.sin(math.pi * torch.fmod(x, 2)),
}
_ROUNDED = re.compile(r"[fd]?(add|sub|mul|div|rcp|sqrt|rsqrt|fma)f?_rn")
_INSTRUCTION = re.compile(r"([a-z0-9]+)((?:\.(?:approx|ftz|rn|full))*)\.f32\s+\$0((?:\s*,\s*\$\d)+)\s*;?")
_CONSTRAINTS = re.compile(r"=f(?:,f)+")
_OF_PTX: dict[str, Callable[..., Array]] = {
    "abs": np.abs,
    "add": np.add,
    "cos": np.cos,
    "div": np.divide,
    "ex2": np.exp2,
    "fma": lambda a, b, c: a * b + c,
    "lg2": np.log2,
    "max": np.fmax,
    "min": np.fmin,
    "mov": np.positive,
    "mul": np.multiply,
    "neg": np.negative,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "sub": np.subtract,
    "tanh": np.tanh,
}
_SHOWN = 40  # characters


def compute(symbol: str, *arguments: Array) -> Array:
    """Apply a function of the device library to arrays that broadcast; the caller casts the result to its dtype.

    Triton compiles the library so that float32 numbers below the normal ones count as 0. Raises NotOnCpu for a function
    without an entry here.
    """
    function = _function(symbol)
    if function is None:
        raise NotOnCpu(f"libdevice's {symbol}")
    narrow = all(array.dtype == np.float32 for array in arguments)
    given = [flushed(array) if narrow else array for array in arguments]
    wide = (np.array(array, dtype=array.dtype if array.dtype.kind in "iu" else np.float64) for array in given)
    result: Array = function(*map(torch.from_numpy, wide)).numpy()
    return flushed(result) if narrow and result.dtype.kind == "f" else result


def _function(symbol: str) -> Elementwise | None:
    """Find a symbol: `__nv_tanhf` and `__nv_tanh` are `tanh`, `__nv_fast_expf` is `exp`, `__nv_fdiv_rn` is `div`."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    rounded = _ROUNDED.fullmatch(name)
    names = (rounded[1],) if rounded else (name, name[:-1] if name[-1] in "fd" else name)
    return next((_FUNCTIONS[found] for found in names if found in _FUNCTIONS), None)


def members() -> Iterator[tuple[ModuleType, str, Callable[..., Any]]]:
    """Yield every function of the two modules, as (module, name, the function that selects a symbol)."""
    for name, function in vars(filled).items():
        if tl.core.is_builtin(function):
            yield from ((module, name, function) for module in (unfilled, filled))


def filled_in(value: Any) -> Any:
    """Return the function that a backend would put in place of an empty one, or the value itself."""
    if getattr(value, "__module__", None) != unfilled.__name__:
        return value
    return vars(filled).get(value.__name__, value)


def run_assembly(text: str, constraints: str, arguments: Sequence[Array], pack: int) -> Array:
    """Apply one instruction of inline assembly to float32 arrays that broadcast.

    Raises NotOnCpu for an instruction without an entry here.
    """
    text = " ".join(text.split())
    found = _INSTRUCTION.fullmatch(text)
    function = _OF_PTX.get(found[1]) if found else None
    registers = re.findall(r"\$(\d)", found[3]) if found else []
    plain = pack == 1 and _CONSTRAINTS.fullmatch(constraints.replace(" ", ""))
    if found is None or function is None or not plain or registers != [str(i + 1) for i in range(len(arguments))]:
        raise NotOnCpu(f"inline assembly ({text[:_SHOWN]}{'...' if len(text) > _SHOWN else ''})")
    ends = flushed if ".ftz" in found[2] else np.asarray
    wide = [ends(array).astype(np.float64) for array in arguments]
    if found[1] == "div" and ".approx" in found[2]:  # by PTX's manual, as if larger divisors were infinite
        wide[1] = np.where(np.abs(wide[1]) > 2.0**126, np.copysign(np.inf, wide[1]), wide[1])
    with np.errstate(all="ignore"):
        result: Array = function(*wide).astype(np.float32)
    return ends(result)


def flushed(array: Array) -> Array:
    """Return float32 numbers with subnormal ones replaced by 0 of the same sign."""
    tiny = np.abs(array) < np.finfo(np.float32).tiny
    return np.where(tiny, np.copysign(np.float32(0), array), array)
