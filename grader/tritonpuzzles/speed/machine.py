"""The properties of a GPU that decide the speed of kernels: from data sheets, and the speed of a copy."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.hardware.gpus import COPY_CEILING, GPUS, TARGETS
from tritonpuzzles.hardware.l2 import L2S

L2_PER_CYCLE = 36.0  # bytes for one multiprocessor: an H200's cache serves 9,300 GB/s (`benchmarks/l2_cache.py`)


QUEUES = "sm_90"  # the target whose warps share products in groups of four


@dataclass(frozen=True)
class Machine:
    """One GPU."""

    gpu: str  # its common name
    multiprocessors: int  # of it
    ghz: float  # their clock, cycles per nanosecond
    copy_gb_per_s: float  # of a large copy, both ways together
    l2_gb_per_s: float  # of cached data
    l2_bytes: float  # usable size of the L2 cache
    l1_bytes: int  # first-level cache and shared memory of one multiprocessor
    tensor_tflop_per_s: float  # of its tensor cores, with factors of 16 bits
    queues_products: bool  # whether four of its warps can share an asynchronous product


def machine_named(gpu: str) -> Machine:
    """Return a GPU of `L2S`; raises KeyError for any other."""
    found, l2 = GPUS[gpu], L2S[gpu]
    rate = L2_PER_CYCLE * l2.multiprocessors * found.ghz
    return Machine(
        gpu=gpu,
        multiprocessors=l2.multiprocessors,
        ghz=found.ghz,
        copy_gb_per_s=COPY_CEILING * found.gb_per_s,
        l2_gb_per_s=rate,
        l2_bytes=l2.usable_bytes,
        l1_bytes=TARGETS[l2.target].shared_bytes_per_sm,
        tensor_tflop_per_s=found.tensor,
        queues_products=l2.target == QUEUES,
    )
