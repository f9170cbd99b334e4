"""Read what a worker tells of compiled kernels, with the same suspicion as `evidence`."""

from __future__ import annotations

from typing import Any

from tritonpuzzles.inspection import InspectedKernel, Occupancy, OnTarget, Resources
from tritonpuzzles.judge.evidence import count, items, optional_count, text
from tritonpuzzles.targets import TARGETS

COUNTS = ("registers", "stack_bytes", "spill_bytes", "local_accesses", "load_bits", "store_bits")


def inspected_kernel(data: dict[str, Any]) -> InspectedKernel:
    """Read one variant of a kernel.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    return InspectedKernel(
        kernel=text(data["kernel"]),
        dtypes=tuple(text(item) for item in items(data["dtypes"])),
        constants={text(name): value for name, value in data["constants"].items() if type(value) is int},
        targets=tuple(_on_target(item) for item in items(data["targets"])),
    )


def _on_target(data: dict[str, Any]) -> OnTarget:
    resources, target = data["resources"], text(data["target"])
    if target not in TARGETS:
        raise ValueError(f"there is no target {target!r:.80}")
    return OnTarget(target, data["ok"] is True, None if resources is None else _resources(resources))


def _resources(data: dict[str, Any]) -> Resources:
    tensor_core, occupancy = data["tensor_core"], data["occupancy"]
    return Resources(
        shared_bytes=count(data["shared_bytes"]),
        num_warps=count(data["num_warps"]),
        num_stages=count(data["num_stages"]),
        tensor_core=None if tensor_core is None else {text(name): count(n) for name, n in tensor_core.items()},
        occupancy=None if occupancy is None else _occupancy(occupancy),
        notes=tuple(text(note) for note in items(data["notes"])),
        **{name: optional_count(data[name]) for name in COUNTS},
    )


def _occupancy(data: dict[str, Any]) -> Occupancy:
    return Occupancy(
        count(data["blocks_per_sm"]), count(data["warps_per_sm"]), float(data["fraction"]), text(data["limited_by"])
    )
