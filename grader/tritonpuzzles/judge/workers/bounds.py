"""What a recorder may read beside Python and its packages: the judge says it, the recorder confines itself to it."""

from __future__ import annotations

import os
from pathlib import Path


def bounds(file: Path) -> dict[str, list[str]]:
    """Return what the process that imports a file may read, and what of that it may not.

    The file's folder is importable too, without what is hidden there: keys, progress, settings.
    """
    folder = file.absolute().parent
    readable = [folder, Path(os.path.realpath(file))]
    return {"readable": sorted(map(str, readable)), "secrets": sorted(map(str, _hidden(folder)))}


def _hidden(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name.startswith(".")]
    except OSError:
        return []
