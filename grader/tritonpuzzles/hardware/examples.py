"""What a target's example has beside what all GPUs of its kind have, by its maker's data sheet."""

from __future__ import annotations

from dataclasses import dataclass

GIB, MIB = 1 << 30, 1 << 20


@dataclass(frozen=True)
class Example:
    """One GPU.

    Attributes:
        multiprocessors: how many.
        memory_bytes: of the whole GPU.
        l2_bytes: of its L2 cache.
    """

    multiprocessors: int
    memory_bytes: int
    l2_bytes: int


EXAMPLES: dict[str, Example] = {
    "sm_75": Example(40, 16 * GIB, 4 * MIB),
    "sm_80": Example(108, 80 * GIB, 40 * MIB),
    "sm_86": Example(82, 24 * GIB, 6 * MIB),
    "sm_89": Example(128, 24 * GIB, 72 * MIB),
    "sm_90": Example(132, 80 * GIB, 50 * MIB),
    "sm_100": Example(148, 180 * GIB, 126 * MIB),
    "sm_120": Example(170, 32 * GIB, 96 * MIB),
}
