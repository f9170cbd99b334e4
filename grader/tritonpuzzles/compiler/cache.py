"""Keep outcomes on disk, one small JSON file each, written in one step; a file that cannot be read is no outcome."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from tritonpuzzles.compiler.outcome import CompileOutcome

KEEP = 2_000  # files, of about 1 kB


def compiled_in(cache: str | None) -> Path:
    """Return the folder of compile results; without a cache, in this process's own folder."""
    return Path(cache or ".") / "compiled"


class OutcomeCache:
    """Outcomes by key in one folder, which several processes may share.

    Args:
        folder: created when the first outcome is kept; `None` keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> CompileOutcome | None:
        """Return the outcome kept under a key, or `None`."""
        if self._folder is None:
            return None
        try:
            return CompileOutcome.from_json(json.loads(self._path(self._folder, key).read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, key: str, outcome: CompileOutcome) -> None:
        """Keep an outcome; a full disk or a read-only folder is no reason to fail."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(outcome.to_json(), file)
                os.replace(name, self._path(self._folder, key))
            except BaseException:
                os.unlink(name)
                raise
            self._forget(self._folder)
        except OSError:
            return

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / f"{key}.json"

    @staticmethod
    def _forget(folder: Path) -> None:
        """Delete the oldest files beyond `KEEP`, a tenth at once so that most calls only count."""
        files = list(folder.glob("*.json"))
        if len(files) <= KEEP:
            return
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: len(files) - KEEP + KEEP // 10]:
            path.unlink(missing_ok=True)
