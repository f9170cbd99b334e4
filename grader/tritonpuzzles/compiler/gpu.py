"""The target that a named GPU is, listed or not, and the one that kernels find when they ask."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

from tritonpuzzles.compiler.launch import gpu_target
from tritonpuzzles.hardware.targets import TARGETS, Target
from tritonpuzzles.insides import driver
from tritonpuzzles.wire.job import Device

NEAREST = TARGETS["sm_90"]  # whose limits a GPU has that is not listed, where its driver does not tell them


def make_current(target: Target) -> None:
    """Have Triton's driver name a target from now on: `tl.target_info` asks it, interpreted and compiled."""
    driver.set_active(SimpleNamespace(get_current_target=lambda: gpu_target(target)))


@contextlib.contextmanager
def current_target(target: Target) -> Iterator[None]:
    """Have Triton's driver name a target inside a `with` block."""
    before = dict(vars(driver))
    make_current(target)
    try:
        yield
    finally:
        vars(driver).update(before)


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
