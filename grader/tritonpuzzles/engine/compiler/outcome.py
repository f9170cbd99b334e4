"""What compiling one launch for one target gave, as plain data that survives a trip through JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tritonpuzzles.results import CompileResult, Finding, Severity, plain


@dataclass(frozen=True)
class Occupancy:
    """How many blocks of a kernel share one SM.

    Attributes:
        blocks_per_sm, warps_per_sm: resident at once.
        fraction: of the warps that the SM can hold.
        limited_by: `registers`, `shared memory`, `warps` or `blocks`.
    """

    blocks_per_sm: int
    warps_per_sm: int
    fraction: float
    limited_by: str


@dataclass(frozen=True)
class Resources:
    """What a compiled kernel uses; `None` where it could not be read (see `notes`).

    Attributes:
        registers: per thread, 32 bits each.
        stack_bytes: local memory of one thread.
        spill_bytes: registers that did not fit: bytes stored to and loaded from local memory, per thread.
        local_accesses: LDL and STL instructions (AMD: scratch loads and stores).
        shared_bytes: per block.
        tensor_core: mnemonic -> how often it stands in the code: `{"HMMA.16816.F32": 64}`; empty if it has none.
        load_bits, store_bits: the widest global access of one thread.
        notes: what could not be read and why.
    """

    shared_bytes: int
    num_warps: int
    num_stages: int
    registers: int | None = None
    stack_bytes: int | None = None
    spill_bytes: int | None = None
    local_accesses: int | None = None
    tensor_core: dict[str, int] | None = None
    load_bits: int | None = None
    store_bits: int | None = None
    occupancy: Occupancy | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CompileOutcome:
    """The result for the report, what the learner should know, and the resources where they were asked for.

    `result.ok` means that the kernel can be launched: it compiles, and fits the target's limits.
    """

    result: CompileResult
    findings: tuple[Finding, ...] = ()
    resources: Resources | None = None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-ready data for `from_json`."""
        data: dict[str, Any] = plain(self)
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompileOutcome:
        """Rebuild an outcome; raises KeyError, TypeError or ValueError if the data is not one."""
        resources = data["resources"]
        return cls(
            CompileResult(**data["result"]),
            tuple(Finding(**{**item, "severity": Severity(item["severity"])}) for item in data["findings"]),
            None if resources is None else _resources(resources),
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
