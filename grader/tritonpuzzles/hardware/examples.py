"""GPUs that stand for others: the example of a target, and a small one; their memory by their makers' data sheets."""

from __future__ import annotations

from tritonpuzzles.hardware.l2 import L2, L2S
from tritonpuzzles.hardware.targets import TARGETS

_GIB = 1 << 30

MEMORY_BYTES: dict[str, int] = {
    "RTX 3050 Laptop": 4 * _GIB,
    "T4": 16 * _GIB,
    "A100": 80 * _GIB,
    "RTX 3090": 24 * _GIB,
    "RTX 4090": 24 * _GIB,
    "L4": 24 * _GIB,
    "H100": 80 * _GIB,
    "H200": 141 * _GIB,
    "B200": 180 * _GIB,
    "RTX 5090": 32 * _GIB,
}


def example_of(name: str) -> L2 | None:
    """Return the L2 cache and multiprocessors of a GPU, or of a target's example: "RTX 3090", "sm_86".

    `None` for one that is not listed.
    """
    gpu = TARGETS[name].gpu if name in TARGETS else name
    return L2S[gpu] if gpu in MEMORY_BYTES else None
