"""What compiling one launch for one target gave, as plain data that survives a trip through JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tritonpuzzles.compiler.answers import Answers
from tritonpuzzles.results.check import CompileResult, Finding, plain
from tritonpuzzles.results.inspect import Occupancy, Resources


@dataclass(frozen=True)
class Translation:
    """A kernel in Triton's intermediate language (TTIR).

    Attributes:
        operations: digests of its kinds of operation: each with its types, without sizes, numbers and names.
        elements: of all tiles that its operations take and make: what the rest of the compiler works on.
        largest_tile: elements.
    """

    operations: frozenset[str]
    elements: int
    largest_tile: int


@dataclass(frozen=True)
class CompileOutcome:
    """The result for the report, what the learner should know, and the resources where they were asked for.

    `result.ok` means that the kernel can be launched: it compiles, and fits the target's limits. `skipped` means that
    there was no time to find out. `translation` is there of what went through the front half of the compiler alone.
    `answers` are what static code was answered on the way there.
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
        """Return the same of other files, each known by its name here."""
        findings = (replace(found, file=names.get(found.file or "", found.file)) for found in self.findings)
        return replace(self, findings=tuple(findings))

    def as_for(self, target: str) -> CompileOutcome:
        """Return the same for another target."""
        findings = (replace(found, details={**found.details, "target": target}) for found in self.findings)
        return replace(self, result=replace(self.result, target=target), findings=tuple(findings))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompileOutcome:
        """Rebuild an outcome; raises KeyError, TypeError or ValueError if the data is not one."""
        resources = data["resources"]
        return cls(
            CompileResult(**data["result"]),
            tuple(map(Finding.from_dict, data["findings"])),
            None if resources is None else _resources(resources),
            translation=None if data["translation"] is None else _translation(data["translation"]),
            answers=data["answers"] and Answers.from_json(data["answers"]),
        )


def _translation(data: dict[str, Any]) -> Translation:
    return Translation(frozenset(data["operations"]), int(data["elements"]), int(data["largest_tile"]))


def _resources(data: dict[str, Any]) -> Resources:
    occupancy = data["occupancy"]
    return Resources(
        **{
            **data,
            "occupancy": None if occupancy is None else Occupancy(**occupancy),
            "notes": tuple(data["notes"]),
        }
    )
