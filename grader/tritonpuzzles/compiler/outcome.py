"""What compiling one launch for one target gave, as plain data that survives a trip through JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.results.check import CompileResult, Finding, plain
from tritonpuzzles.results.inspect import Occupancy, Resources


@dataclass(frozen=True)
class CompileOutcome:
    """The result for the report, what the learner should know, and the resources where they were asked for.

    `result.ok` means that the kernel can be launched: it compiles, and fits the target's limits. `skipped` means that
    there was no time to find out. `answers` are the compiler's, of what compiles.
    """

    result: CompileResult
    findings: tuple[Finding, ...] = ()
    resources: Resources | None = None
    skipped: bool = False
    answers: Answers | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `from_json`."""
        data: dict[str, Any] = plain(replace(self, answers=None))
        return data | {"answers": self.answers and self.answers.to_json()}

    def with_files(self, names: Mapping[str, str]) -> CompileOutcome:
        """Return the same of other files, each known by its name here."""
        findings = (replace(found, file=names.get(found.file or "", found.file)) for found in self.findings)
        return replace(self, findings=tuple(findings))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompileOutcome:
        """Rebuild an outcome; raises KeyError, TypeError or ValueError if the data is not one."""
        resources = data["resources"]
        return cls(
            CompileResult(**data["result"]),
            tuple(map(Finding.from_dict, data["findings"])),
            None if resources is None else _resources(resources),
            answers=data["answers"] and Answers.from_json(data["answers"]),
        )


def _resources(data: dict[str, Any]) -> Resources:
    occupancy = data["occupancy"]
    return Resources(
        **{
            **data,
            "occupancy": None if occupancy is None else Occupancy(**occupancy),
            "notes": tuple(data["notes"]),
        }
    )
