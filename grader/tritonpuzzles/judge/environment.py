"""The versions and the GPU that a report rests on."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

from tritonpuzzles.judge.gpu import gpu_state


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
