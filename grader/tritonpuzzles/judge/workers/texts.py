"""The text of the files that kernels stand in, as the judge reads it: no recorder is believed in that.

The judge may read more than the recorder: so it opens what that one may, and nothing to which a link leads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.evidence.fields import items, text
from tritonpuzzles.judge.workers.bounds import bounds
from tritonpuzzles.sandbox import read_regular
from tritonpuzzles.sandbox.landlock import Access, around
from tritonpuzzles.wire.kernels import MAX_FILES

MAX_BYTES = 1 << 20


def granted(confined: Mapping[str, Any], file: Path, folder: Path) -> list[Path]:
    """Return the files and folders that a recorder may read Python files from.

    Args:
        confined: what it said before it imported anything: where its Python lies, and what of the grader is closed.
        file: the submission.
        folder: the recorder's own.

    Raises:
        ValueError, TypeError, KeyError: it is not of the expected form.
    """
    own = bounds(file)
    python, walled = (map(text, items(confined[name])) for name in ("python", "walled"))
    grants = around(map(Path, [*python, *own["readable"], str(folder)]), list(map(Path, [*own["secrets"], *walled])))
    return [grant.path for grant in grants if Access.READ_FILE in grant.access]


class Texts:
    """Reads each file once: what changes afterwards is not graded.

    Args:
        grants: files, and folders with all that lies in them; real paths.

    Attributes:
        known: texts by path.
    """

    def __init__(self, grants: Sequence[Path]) -> None:
        self._grants = frozenset(grants)
        self.known: dict[str, str] = {}
        self._asked: set[str] = set()

    def of(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of Python files by path; one that is none, is closed, too large or no UTF-8 is left out.

        Raises:
            ValueError: a submission's kernels do not stand in so many files.
        """
        for path in sorted(set(paths) - self._asked):
            if len(self._asked) >= MAX_FILES:
                raise ValueError(f"kernels of more than {MAX_FILES} files were reported")
            self._asked.add(path)
            found = self._text(path)
            if found is not None:
                self.known[path] = found
        return {path: self.known[path] for path in paths if path in self.known}

    def _text(self, path: str) -> str | None:
        try:
            real = Path(os.path.realpath(path))
            if self._grants.isdisjoint((real, *real.parents)):
                return None
            return read_regular(real, MAX_BYTES, follow=False).decode("utf-8-sig")
        except (OSError, ValueError):
            return None
