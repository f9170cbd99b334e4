"""Read what a worker tells of compiled kernels, with the same suspicion as `evidence`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tritonpuzzles.hardware.targets import TARGETS
from tritonpuzzles.judge.evidence.fields import SENT
from tritonpuzzles.results.inspect import KernelResources, OnTarget


@dataclass(frozen=True)
class _Variant:
    """A variant of a kernel as it is sent; see `KernelResources`."""

    kernel: str
    dtypes: tuple[str, ...]
    constants: dict[str, Any]
    targets: tuple[OnTarget, ...]


def kernel_resources(item: Any) -> KernelResources:
    """Read one variant of a kernel.

    Raises:
        ValueError: if it is not of the expected form.
    """
    found = SENT.read(_Variant, item)
    for there in found.targets:
        if there.target not in TARGETS:
            raise ValueError(f"there is no target {there.target!r:.80}")
    constants = {name: value for name, value in found.constants.items() if type(value) is int}
    return KernelResources(found.kernel, found.dtypes, constants, found.targets)
