"""The text of the files that kernels stand in, as the judge reads it: no recorder is believed in that."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 1 << 20
MAX_FILES = 64


class Texts:
    """Reads each file once: what changes afterwards is not graded.

    Attributes:
        known: texts by path.
    """

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self._asked: set[str] = set()

    def of(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of Python files by path; one that is none, is too large or no UTF-8 is left out.

        Raises:
            ValueError: a submission's kernels do not stand in so many files.
        """
        for path in sorted(set(paths) - self._asked):
            if len(self._asked) >= MAX_FILES:
                raise ValueError(f"kernels of more than {MAX_FILES} files were told of")
            self._asked.add(path)
            text = _text(Path(path))
            if text is not None:
                self.known[path] = text
        return {path: self.known[path] for path in paths if path in self.known}


def _text(path: Path) -> str | None:
    try:
        return read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except (OSError, ValueError):
        return None
