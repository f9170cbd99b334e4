"""The 8-bit floating-point formats, by a table of their 256 numbers.

A conversion rounds to nearest even, an overflow gives the largest finite number, and NaN stays NaN, as in a GPU's
`cvt.rn.satfinite`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tritonpuzzles.engine.interpreter.values import Array

_NAN = {"fp8e5": 0x7F, "fp8e4nv": 0x7F, "fp8e5b16": 0x80, "fp8e4b8": 0x80, "fp8e4b15": 0x7F}  # the last has none
_SIGN = 0x80


@functools.cache
def _numbers(dtype: Any) -> Array:
    """Return the numbers of all bytes, (256,) float64."""
    codes, width = np.arange(256), dtype.fp_mantissa_width
    exponent, mantissa = (codes & ~_SIGN) >> width, codes & ((1 << width) - 1)
    sizes = (mantissa + ((exponent > 0) << width)) * 2.0 ** (np.maximum(exponent, 1) - dtype.exponent_bias - width)
    numbers: Array = np.where(codes < _SIGN, sizes, -sizes)
    if dtype.name == "fp8e5":  # as in float16, the largest exponent means infinity or NaN
        numbers[exponent == exponent.max()] = np.nan
        numbers[[0x7C, 0xFC]] = np.inf, -np.inf
    elif dtype.name == "fp8e4nv":
        numbers[[0x7F, 0xFF]] = np.nan
    elif dtype.name != "fp8e4b15":
        numbers[0x80] = np.nan
    return numbers


def decoded(codes: Array, dtype: Any) -> Array:
    """Return the numbers that bytes stand for, as float32."""
    found: Array = _numbers(dtype)[codes].astype(np.float32)
    return found


def encoded(values: Array, dtype: Any, towards_zero: bool = False) -> Array:
    """Return the bytes of numbers of any dtype."""
    numbers = _numbers(dtype)
    finite = numbers[:_SIGN][np.isfinite(numbers[:_SIGN])]
    sizes = np.abs(values).astype(np.float64)
    if towards_zero:
        codes = np.searchsorted(finite, sizes, "right") - 1
    else:
        halves = (finite[:-1] + finite[1:]) / 2
        below, above = (np.searchsorted(halves, sizes, side) for side in ("left", "right"))
        codes = np.where(below % 2, above, below)  # they differ only halfway between two numbers
    zero_alone = np.isnan(numbers[_SIGN])  # no negative zero: its code means NaN
    codes |= np.where(np.signbit(values) & ~(zero_alone & (codes == 0)), _SIGN, 0)
    return np.where(np.isnan(values), _NAN[dtype.name], codes).astype(np.uint8)
