"""The environment of a run: versions, the GPU as `nvidia-smi` reports it, and torch's threads in the judge.

A measured number means little without it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from tritonpuzzles.interrupts import uninterrupted
from tritonpuzzles.memory import without_collector

SECONDS = 20
MANY_CORES = 8
FIELDS = {
    "driver": "driver_version",
    "sm_mhz": "clocks.sm",
    "sm_max_mhz": "clocks.max.sm",
    "memory_mhz": "clocks.mem",
    "power_limit_w": "power.limit",
}


class NoDeviceError(RuntimeError):
    """A GPU was requested and there is none."""


def choose_devices(asked: str) -> tuple[str, ...]:
    """Return the devices that a check runs on, in order; raises NoDeviceError if "cuda" is requested without a GPU."""
    import_torch()
    import torch

    present = asked != "cpu" and torch.cuda.is_available()
    if asked == "cuda":
        if not present:
            raise NoDeviceError("PyTorch sees no CUDA device. Use --device cpu, or ask `tritonpuzzles doctor`.")
        return ("cuda",)
    return ("cpu", "cuda") if present else ("cpu",)


def gpu_count() -> int:
    """Return how many GPUs PyTorch sees."""
    import torch

    return torch.cuda.device_count()


def gpu_name() -> str:
    """Return the first GPU's name as PyTorch reports it."""
    import torch

    return str(torch.cuda.get_device_name(0))


def environment() -> dict[str, Any]:
    """Return versions, platform, the GPU's name (`None` without one), its driver and its present clocks."""
    import torch

    present = torch.cuda.is_available()
    found = {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version_of(name) for name in ("torch", "triton", "numpy")},
        "gpu": torch.cuda.get_device_name(0) if present else None,
    }
    if present:
        uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
        found |= {"cuda": torch.version.cuda, **(gpu_state(str(uuid)) if uuid is not None else {})}
    return found


def version_of(package: str) -> str | None:
    """Return the version of an installed package, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def gpu_state(uuid: str) -> dict[str, Any]:
    """Return the driver's version, the present clocks and their maxima; an empty dict if they cannot be queried.

    The GPU is named by its `uuid`: an index would be ambiguous, because CUDA may see only some of the GPUs.
    """
    query = f"--query-gpu={','.join(FIELDS.values())}"
    command = ["nvidia-smi", f"--id=GPU-{uuid}", query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return read_state(done.stdout) if done.returncode == 0 else {}


def read_state(line: str) -> dict[str, Any]:
    """Read one line of `nvidia-smi`; omit what it does not report for a GPU."""
    values = [value.strip() for value in line.strip().split(",")]
    if len(values) != len(FIELDS):
        return {}
    found: dict[str, Any] = {}
    for name, value in zip(FIELDS, values, strict=True):
        if name == "driver":
            found |= {name: value} if value else {}
            continue
        with contextlib.suppress(ValueError):  # "[N/A]"
            found[name] = float(value)
    return found


def import_torch() -> None:
    """Import torch if it is not yet, without the collector; an interrupt waits: a half-imported torch is broken."""
    if "torch" not in sys.modules:
        with without_collector(), uninterrupted():
            import torch  # noqa: F401


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread for the length of a `with` block.

    The CPU's cases take a fraction of a millisecond per operation; several threads spend more than that waiting for
    each other, above all while a worker needs the other cores.
    """
    import_torch()
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def has_cores_to_spare() -> bool:
    """Return whether two more processes would leave a timed process undisturbed."""
    return (os.cpu_count() or 1) >= MANY_CORES


def helpers(waiting: bool = False) -> int:
    """Return how many engines beside the first run cases on this machine's cores.

    An engine that is started ahead (`waiting`) costs nobody time. Otherwise each costs a start, and one core per engine
    is left free for the compiler or for the GPU's work.
    """
    cores = os.cpu_count() or 1
    return min(3, cores - 1) if waiting else min(7, max(0, cores - 2) // 2)
