"""Triton's own cache of compiled kernels, in a folder that holds a copy of what was compiled in another."""

from __future__ import annotations

import json
from pathlib import Path

from tritonpuzzles.insides import FileCacheManager


class Lent(FileCacheManager):  # type: ignore[misc]
    """Finds the files of a kernel where they lie now: Triton notes where they lay when it was compiled."""

    def get_group(self, filename: str) -> dict[str, str] | None:
        """Return the paths of a kernel's files by name; `None` where one of them is missing."""
        try:
            names = json.loads(Path(self._make_path(f"__grp__{filename}")).read_text("utf-8"))["child_paths"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        found = {name: self.get_file(name) for name in names}
        return found if all(found.values()) else None
