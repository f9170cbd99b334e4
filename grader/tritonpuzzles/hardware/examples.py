"""The memory of a target's example, in bytes, by its maker's data sheet; `l2.L2S` has its cache and multiprocessors."""

from __future__ import annotations

_GIB = 1 << 30

MEMORY_BYTES: dict[str, int] = {
    "sm_75": 16 * _GIB,
    "sm_80": 80 * _GIB,
    "sm_86": 24 * _GIB,
    "sm_89": 24 * _GIB,
    "sm_90": 80 * _GIB,
    "sm_100": 180 * _GIB,
    "sm_120": 32 * _GIB,
}
