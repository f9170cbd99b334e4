"""Describe a compiled launch for `tritonpuzzles inspect`."""

from __future__ import annotations

from tritonpuzzles.compiler import Compiled, Launch
from tritonpuzzles.engine.observation import whole_constants
from tritonpuzzles.results.inspect import KernelResources, OnTarget


def kernel_resources(compiled: Compiled) -> KernelResources:
    """Return what one variant of a kernel uses on every target."""
    launch = compiled.launch
    return KernelResources(
        kernel=launch.kernel.__name__,
        dtypes=dtypes(launch),
        constants=whole_constants(launch.kernel, launch.arguments),
        targets=tuple(OnTarget(o.result.target, o.result.ok, o.resources) for o in compiled.outcomes if not o.skipped),
    )


def dtypes(launch: Launch) -> tuple[str, ...]:
    """Return the dtypes of a launch's tensor arguments, each once: `("float32",)`."""
    found = (getattr(getattr(value, "base", value), "dtype", None) for value in launch.arguments.values())
    return tuple(dict.fromkeys(str(dtype).removeprefix("torch.") for dtype in found if dtype is not None))
