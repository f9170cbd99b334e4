"""The versions and the GPU that a report rests on."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any


def environment() -> dict[str, Any]:
    """Return versions, platform and the GPU's name, `None` where there is none."""
    import torch

    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in ("torch", "triton", "numpy")},
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
    }


def version(name: str) -> str | None:
    """Return an installed package's version, or `None`."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
