"""The outcome of compiling one launch for one target, as plain data, and its cache on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import As, Checked
from tritonpuzzles.results.check import CompileResult, Finding, plain
from tritonpuzzles.results.inspect import Resources

READ = Decoder(closed=False)
KEEP = 2_000  # files, of about 1 kB
_NO_OPERATION = re.compile(r"\s*(?:%\S+ = arith\.constant |tt\.func |tt\.return|module |[{}]*$)")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_NAMES_AND_SIZES = re.compile(
    r"%[\w#:]+"  # values
    r"|\d+(?=x)"  # shapes
    r"|(?<![\w.])-?\d[\d.]*(?:[eE][-+]?\d+)?"  # numbers; those in types follow a letter
)
_TILE = re.compile(r"tensor<((?:\d+x)+)")


@dataclass(frozen=True)
class Translation:
    """A kernel in Triton's intermediate language (TTIR)."""

    # digests of its kinds of operation: each with its types, without sizes, numbers and names
    operations: Annotated[frozenset[str], As(tuple[str, ...]), Checked(frozenset)]
    elements: int  # of all tiles that its operations take and make: what the rest of the compiler works on
    largest_tile: int  # elements
    multiplies: bool = False  # tiles with each other


def translation_of(text: str) -> Translation:
    """Return a summary of a program's TTIR.

    Constants are ignored: which ones there are depends on sizes. Quoted text is hashed unchanged: inline assembly with
    another number in it is another operation.
    """
    operations = frozenset(_digest(line) for line in text.splitlines() if not _NO_OPERATION.match(line))
    tiles = [math.prod(map(int, sizes.split("x")[:-1])) for sizes in _TILE.findall(text)]
    return Translation(operations, sum(tiles), max(tiles, default=1), "tt.dot" in text)


def _digest(line: str) -> str:
    parts = _QUOTED.split(line.strip())
    parts[::2] = [_NAMES_AND_SIZES.sub("", part) for part in parts[::2]]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class CompileOutcome:
    """The result for the report, findings for the learner, and the resources if they were requested.

    `result.ok` means that the kernel can be launched: it compiles, and fits the target's limits. `skipped` means that
    there was no time to find out. `translation` is set only for a kernel that went through the front end alone.
    `answers` are the compiler's answers to the questions in static code.
    """

    result: CompileResult
    findings: tuple[Finding, ...] = ()
    resources: Resources | None = None
    skipped: bool = False
    translation: Translation | None = None
    answers: Answers | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `from_json`."""
        data: dict[str, Any] = plain(replace(self, answers=None))
        if self.translation is not None:
            data["translation"]["operations"] = sorted(self.translation.operations)
        return data | {"answers": self.answers and self.answers.to_json()}

    def with_files(self, names: Mapping[str, str]) -> CompileOutcome:
        """Return the outcome with the files of its findings renamed."""
        findings = (replace(found, file=names.get(found.file or "", found.file)) for found in self.findings)
        return replace(self, findings=tuple(findings))

    def as_for(self, target: str) -> CompileOutcome:
        """Return the same for another target."""
        findings = tuple(found.noting({"target": target}) for found in self.findings)
        return replace(self, result=replace(self.result, target=target), findings=findings)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompileOutcome:
        """Rebuild an outcome; raises KeyError, TypeError or ValueError if the data is not one."""
        return READ.read(cls, data, answers=data["answers"] and Answers.from_json(data["answers"]))


class OutcomeCache:
    """Outcomes by key in one folder, one small file each, written atomically; several processes may share it.

    A file that cannot be read counts as missing. The first `put` creates the folder; with `None` nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> CompileOutcome | None:
        """Return the outcome kept under a key, or `None`."""
        if self._folder is None:
            return None
        try:
            return CompileOutcome.from_json(json.loads((self._folder / f"{key}.json").read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, key: str, outcome: CompileOutcome) -> None:
        """Keep an outcome; a full disk or a read-only folder is no reason to fail."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(outcome.to_json(), file)
                os.replace(name, self._folder / f"{key}.json")
            except BaseException:
                os.unlink(name)
                raise
            self._forget(self._folder)

    @staticmethod
    def _forget(folder: Path) -> None:
        """Delete the oldest files beyond `KEEP`, a tenth at once so that most calls only count."""
        files = list(folder.glob("*.json"))
        if len(files) <= KEEP:
            return
        for path in sorted(files, key=lambda path: path.stat().st_mtime)[: len(files) - KEEP + KEEP // 10]:
            path.unlink(missing_ok=True)
