"""The GPU that a host function sees when it asks for one: named by its numbers, there or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """What `torch.cuda` and Triton's driver say of a GPU.

    Attributes:
        name: as its driver calls it.
        capability: 90 for sm_90.
        multiprocessors: how many.
        shared_bytes_per_block: the most that one block may ask for.
        shared_bytes_per_multiprocessor: of all of its blocks.
        registers_per_multiprocessor: of 32 bits.
        threads_per_multiprocessor: resident at once.
        memory_bytes: of the whole GPU.
        l2_bytes: of its L2 cache.
    """

    name: str
    capability: int
    multiprocessors: int
    shared_bytes_per_block: int
    shared_bytes_per_multiprocessor: int
    registers_per_multiprocessor: int
    threads_per_multiprocessor: int
    memory_bytes: int
    l2_bytes: int
