"""The GPU that a host function finds when it asks: the one that is here, or one of the kind that is compiled for."""

from __future__ import annotations

import torch

from tritonpuzzles.hardware.examples import MEMORY_BYTES, example_of
from tritonpuzzles.hardware.l2 import L2, l2_named, l2_told
from tritonpuzzles.hardware.targets import DEFAULT_TARGETS, TARGETS
from tritonpuzzles.wire.job import Device


def seen_device(device: str, targets: tuple[str, ...]) -> Device:
    """Return what a host function sees: the machine's own GPU for "cuda", else the first NVIDIA target's example."""
    if device == "cuda":
        return _own()
    known = [name for name in (*targets, *DEFAULT_TARGETS) if example_of(name) is not None]
    return example(known[0])


def example(name: str) -> Device:
    """Return a GPU, or the example of a target, by the makers' data sheets; the name is one of a record's."""
    cache = example_of(name)
    assert cache is not None, name
    found = TARGETS[cache.target]
    return Device(
        name=f"NVIDIA {cache.gpu}",
        capability=int(found.arch),
        multiprocessors=cache.multiprocessors,
        shared_bytes_per_block=found.shared_bytes_per_block,
        shared_bytes_per_multiprocessor=found.shared_bytes_per_sm,
        registers_per_multiprocessor=found.registers_per_sm,
        threads_per_multiprocessor=found.max_warps_per_sm * found.warp_size,
        memory_bytes=MEMORY_BYTES[cache.gpu],
        l2_bytes=cache.nbytes,
    )


def own_l2() -> L2:
    """Return the L2 cache of the machine's own GPU: as its data sheet has it, else as its driver says."""
    own = _own()
    told = l2_told(own.name, own.capability, own.l2_bytes, own.multiprocessors, own.threads_per_multiprocessor)
    return l2_named(own.name) or told


def _own() -> Device:
    said = torch.cuda.get_device_properties(0)
    capability = f"sm_{said.major}{said.minor}"
    limits = TARGETS.get(capability, TARGETS["sm_90"])
    return Device(
        name=said.name,
        capability=10 * said.major + said.minor,
        multiprocessors=said.multi_processor_count,
        shared_bytes_per_block=int(getattr(said, "shared_memory_per_block_optin", limits.shared_bytes_per_block)),
        shared_bytes_per_multiprocessor=int(
            getattr(said, "shared_memory_per_multiprocessor", limits.shared_bytes_per_sm)
        ),
        registers_per_multiprocessor=int(getattr(said, "regs_per_multiprocessor", limits.registers_per_sm)),
        threads_per_multiprocessor=int(said.max_threads_per_multi_processor),
        memory_bytes=int(said.total_memory),
        l2_bytes=int(said.L2_cache_size),
    )
