"""Read what a worker tells of compiled kernels, with the same suspicion as `evidence`."""

from __future__ import annotations

from typing import Any

from tritonpuzzles.hardware.targets import TARGETS
from tritonpuzzles.judge.evidence.fields import count, items, optional_count, table, tables, text
from tritonpuzzles.results.inspect import KernelResources, Occupancy, OnTarget, Resources
from tritonpuzzles.results.occupancy import Fit

FIT = ("per_multiprocessor", "num_warps", "max_warps", "registers", "shared_bytes", "num_ctas")
COUNTS = ("registers", "stack_bytes", "spill_bytes", "local_accesses", "load_bits", "store_bits")


def kernel_resources(item: Any) -> KernelResources:
    """Read one variant of a kernel.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    data = table(item)
    return KernelResources(
        kernel=text(data["kernel"]),
        dtypes=tuple(text(item) for item in items(data["dtypes"])),
        constants={text(name): value for name, value in table(data["constants"]).items() if type(value) is int},
        targets=tuple(_on_target(item) for item in tables(data["targets"])),
    )


def _on_target(data: dict[str, Any]) -> OnTarget:
    resources, target = data["resources"], text(data["target"])
    if target not in TARGETS:
        raise ValueError(f"there is no target {target!r:.80}")
    return OnTarget(target, data["ok"] is True, None if resources is None else _resources(table(resources)))


def _resources(data: dict[str, Any]) -> Resources:
    tensor_core, occupancy = data["tensor_core"], data["occupancy"]
    return Resources(
        shared_bytes=count(data["shared_bytes"]),
        num_warps=count(data["num_warps"]),
        num_stages=count(data["num_stages"]),
        tensor_core=None if tensor_core is None else {text(name): count(n) for name, n in table(tensor_core).items()},
        occupancy=None if occupancy is None else _occupancy(table(occupancy)),
        notes=tuple(text(note) for note in items(data["notes"])),
        **{name: optional_count(data[name]) for name in COUNTS},
    )


def _occupancy(data: dict[str, Any]) -> Occupancy:
    return Occupancy(
        count(data["blocks_per_sm"]), count(data["warps_per_sm"]), float(data["fraction"]), text(data["limited_by"])
    )


def program_fit(data: dict[str, Any]) -> Fit:
    """Read what a program of a launch takes of a multiprocessor; raises as `kernel_resources` does."""
    sizes = {name: count(data[name]) for name in FIT}
    if not (sizes["num_warps"] and sizes["max_warps"] and sizes["num_ctas"]):
        raise ValueError("a program has at least one warp")
    return Fit(limited_by=text(data["limited_by"]), **sizes)
