"""NVIDIA's device library on the CPU: what `libdevice.tanh(x)` computes.

Kernels reach it by `triton.language.extra.libdevice`, whose functions are empty until a GPU backend fills them in, or
by `triton.language.extra.cuda.libdevice`. Either way a function picks a symbol by the dtypes of its arguments
(`__nv_tanhf`), and the builder is asked for that symbol. Here it is computed in float64 and rounded once, so that the
last place may differ from a GPU's. What has no entry is refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
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

MODULES: tuple[ModuleType, ...] = (unfilled, filled)
_TORCH = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "ceil", "copysign", "cos", "cosh", "div"),
    *("erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "fmod", "hypot", "lgamma", "log", "log10", "log1p"),
    *("log2", "mul", "pow", "rsqrt", "sin", "sinh", "sqrt", "sub", "tan", "tanh", "trunc", "add", "signbit"),
)
_FUNCTIONS: dict[str, Elementwise] = {
    **{name: getattr(torch, name) for name in _TORCH},
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


def compute(symbol: str, *arguments: Array) -> Array:
    """Apply a function of the device library to arrays that broadcast; the caller brings the result to its dtype.

    Raises:
        NotOnCpu: if it is not among those that are known here.
    """
    function = _function(symbol)
    if function is None:
        raise NotOnCpu(f"libdevice's {symbol}")
    wide = (np.array(array, dtype=array.dtype if array.dtype.kind in "iu" else np.float64) for array in arguments)
    return function(*map(torch.from_numpy, wide)).numpy()


def _function(symbol: str) -> Elementwise | None:
    """Find a symbol: `__nv_tanhf` and `__nv_tanh` are `tanh`, `__nv_fast_expf` is `exp`, `__nv_fdiv_rn` is `div`."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    rounded = _ROUNDED.fullmatch(name)
    names = (rounded[1],) if rounded else (name, name[:-1] if name[-1] in "fd" else name)
    return next((_FUNCTIONS[found] for found in names if found in _FUNCTIONS), None)


def members() -> Iterator[tuple[ModuleType, str, Callable[..., Any]]]:
    """Yield every function of the two modules, as (module, name, the one that picks a symbol)."""
    for name, function in vars(filled).items():
        if tl.core.is_builtin(function):
            yield from ((module, name, function) for module in MODULES)


def filled_in(value: Any) -> Any:
    """Return the function that a backend would put in place of an empty one, or the value itself."""
    if getattr(value, "__module__", None) != unfilled.__name__:
        return value
    return vars(filled).get(value.__name__, value)
