"""The text of a notebook's cells, which lies in no file: it is written where a notebook's debugger would write it."""

from __future__ import annotations

import linecache
from pathlib import Path


def written(path: Path) -> Path:
    """Return a file; one that is not there and whose text Python knows, as that of a cell, is written first."""
    lines = [] if path.exists() or not path.is_absolute() else linecache.getlines(str(path))
    if lines:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")
    return path
