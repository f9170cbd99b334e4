"""The target that a named GPU is, listed or not."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.hardware.targets import TARGETS, Target
from tritonpuzzles.wire.device import Device

NEAREST = TARGETS["sm_90"]  # whose limits a GPU has that is not listed, where its driver does not tell them


def target_of(gpu: Device) -> Target:
    """Return the limits of a GPU, its own where its driver tells them."""
    listed = TARGETS.get(f"sm_{gpu.capability}")
    if listed is not None:
        return listed
    return replace(
        NEAREST,
        name=f"sm_{gpu.capability}",
        arch=gpu.capability,
        gpu=gpu.name,
        shared_bytes_per_block=gpu.shared_bytes_per_block,
        shared_bytes_per_sm=gpu.shared_bytes_per_multiprocessor,
        registers_per_sm=gpu.registers_per_multiprocessor,
        max_warps_per_sm=gpu.threads_per_multiprocessor // NEAREST.warp_size,
    )
