"""Bugs that others have reported, as files of ours: what each should be told, and what `verify` says."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tritonpuzzles import verify
from tritonpuzzles.front.verifying import VerifyReport
from tritonpuzzles.results.check import Finding

HOME = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Example:
    """One file of tests/verify/bugs or tests/verify/right."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def _field(self, name: str) -> str:
        found = re.search(rf"^{name}: (.*)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    @property
    def codes(self) -> list[str]:
        """Codes of which it should get at least one."""
        return self._field("Code").split(", ")

    @property
    def reported(self) -> str:
        return self._field("Reported")

    @property
    def lines(self) -> set[int]:
        """Where the mistake is."""
        mistake = self._field("Mistake at")
        body = self.text.index('"""', 3)
        after = self.text.count("\n", 0, body)
        lines = self.text.splitlines()
        return {number for number, line in enumerate(lines, 1) if number > after and mistake in line}

    @cached_property
    def module(self) -> ModuleType:
        """The file, imported: `run`, `reference`, `cases` and, where it needs any, `OPTIONS`."""
        specification = importlib.util.spec_from_file_location(f"{self.path.parent.name}_{self.name}", self.path)
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module

    def cases(self) -> list[dict[str, Any]]:
        """Return its cases, with the same numbers each time."""
        with torch.random.fork_rng():
            torch.manual_seed(0)
            cases: list[dict[str, Any]] = self.module.cases()
        return cases

    def verified(self, device: str = "cpu") -> VerifyReport:
        """Return what `verify` says of it."""
        options: Mapping[str, Any] = getattr(self.module, "OPTIONS", {})
        return verify(self.module.run, self.module.reference, self.cases(), device=device, seed=1, **options)

    def told(self, report: VerifyReport) -> list[Finding]:
        """Return the findings of a report that have one of its codes."""
        return [found for found in report.findings if found.code in self.codes]


def examples(folder: str) -> list[Example]:
    """Return the files of "bugs" or "right"."""
    return [Example(path) for path in sorted((HOME / folder).glob("*.py"))]
