"""The versions and the GPU that a report rests on, with the driver and the clocks as `nvidia-smi` tells them.

A number that was measured means little without.
"""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from typing import Any

SECONDS = 20
FIELDS = {
    "driver": "driver_version",
    "sm_mhz": "clocks.sm",
    "sm_max_mhz": "clocks.max.sm",
    "memory_mhz": "clocks.mem",
    "power_limit_w": "power.limit",
}


def environment() -> dict[str, Any]:
    """Return versions, platform, the GPU's name (`None` where there is none), its driver and its clocks just now."""
    import torch

    present = torch.cuda.is_available()
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in ("torch", "triton", "numpy")},
        "gpu": torch.cuda.get_device_name(0) if present else None,
        **(_cuda() if present else {}),
    }


def _cuda() -> dict[str, Any]:
    import torch

    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    return {"cuda": torch.version.cuda, **(gpu_state(str(uuid)) if uuid is not None else {})}


def version(name: str) -> str | None:
    """Return an installed package's version, or `None`."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def gpu_state(uuid: str) -> dict[str, Any]:
    """Return the driver's version, the clocks at this moment and their maxima; nothing where they cannot be asked for.

    Args:
        uuid: of the GPU; its number would not do, as CUDA may count only some of those that there are.
    """
    query = f"--query-gpu={','.join(FIELDS.values())}"
    command = ["nvidia-smi", f"--id=GPU-{uuid}", query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return read_state(done.stdout) if done.returncode == 0 else {}


def read_state(line: str) -> dict[str, Any]:
    """Read one line of `nvidia-smi`; what it does not know of a GPU is left out."""
    values = [value.strip() for value in line.strip().split(",")]
    if len(values) != len(FIELDS):
        return {}
    read = {name: _number(name, value) for name, value in zip(FIELDS, values, strict=True)}
    return {name: value for name, value in read.items() if value is not None}


def _number(name: str, value: str) -> Any:
    if name == "driver":
        return value or None
    try:
        return float(value)
    except ValueError:  # "[N/A]"
        return None
