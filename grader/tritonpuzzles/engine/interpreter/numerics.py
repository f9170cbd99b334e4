"""bfloat16, TF32 and float8 as a GPU rounds them.

Triton's own interpreter adds the bit patterns of bfloat16 and truncates on conversion; here a bfloat16 is a float32
whose low 16 bits are zero, and every operation rounds to nearest even.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tritonpuzzles.engine.interpreter.values import Array


def round_bf16(x: Array) -> Array:
    """Round float32 to bfloat16 precision, to nearest even; NaN stays NaN, overflow becomes infinity."""
    if x.dtype != np.float32:
        x = x.astype(np.float32)
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))


def float_to_bf16(x: Array) -> Array:
    """Return bfloat16 values as float32, rounded once also where `x` is float64 or a 64-bit integer."""
    if x.dtype in (np.float64, np.int64, np.uint64, np.int32, np.uint32):
        return round_bf16(_round_to_odd(x))
    return round_bf16(x.astype(np.float32))


def _round_to_odd(x: Array) -> Array:
    """Shorten to float32 so that a second rounding to 16 bits is exact: truncate, and set the last bit if inexact."""
    wide = x.astype(np.float64)
    near = wide.astype(np.float32)
    with np.errstate(invalid="ignore"):
        away = np.abs(near.astype(np.float64)) > np.abs(wide)
        inexact = near.astype(np.float64) != wide
    bits = near.view(np.uint32) - away.astype(np.uint32)
    odd = (bits | inexact.astype(np.uint32)).view(np.float32)
    return np.where(np.isfinite(near) & inexact, odd, near)


def bf16_bits(x: Array) -> Array:
    """Return the 16-bit patterns that stand in memory."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    quiet = np.where(np.isnan(x), np.uint32(0x00400000), np.uint32(0))  # a NaN whose payload is cut stays a NaN
    patterns: Array = ((bits | quiet) >> np.uint32(16)).astype(np.uint16)
    return patterns


def bf16_values(bits: Array) -> Array:
    """Return 16-bit patterns from memory as float32."""
    values: Array = (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return values


def add_bf16(memory: Array, elements: Array, values: Array) -> Array:
    """Add float32 values to bfloat16 in memory, in order, rounding after each; return what was there before.

    memory: uint16, patterns of bfloat16; an element may come several times.
    """
    order = np.argsort(elements, kind="stable")
    _, firsts, counts = np.unique(elements[order], return_index=True, return_counts=True)
    times = np.empty(len(elements), dtype=np.int64)  # how often the same element has come before
    times[order] = np.arange(len(elements)) - np.repeat(firsts, counts)
    before = np.empty(len(elements), dtype=np.float32)
    for time in range(int(counts.max(initial=0))):
        now = times == time
        before[now] = bf16_values(memory[elements[now]])
        memory[elements[now]] = bf16_bits(round_bf16(before[now] + values[now]))
    return before


def tf32(x: Array) -> Array:
    """Cut float32 to TF32: tensor cores ignore the low 13 bits of the mantissa."""
    values: Array = (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


def poison(kind: np.dtype[Any], byte: int, count: int) -> Array:
    """Return `count` values whose every byte is `byte`; 0x7B and 0xFB are large and finite in every format."""
    if kind == np.bool_:
        return np.full(count, bool(byte), dtype=np.bool_)
    return np.full(count * kind.itemsize, byte, dtype=np.uint8).view(kind)
