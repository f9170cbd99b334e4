"""What a worker's frames say, read with suspicion: every field is checked for its type and bounded in size."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritonpuzzles.inspection import InspectedKernel
from tritonpuzzles.judge.form import Output
from tritonpuzzles.picturing import PicturedLaunch
from tritonpuzzles.protocol import Frame
from tritonpuzzles.results import CompileResult, Finding, LineTraffic, Severity, Traffic
from tritonpuzzles.tracing import HostOperation

MAX_TEXT = 2000
MAX_ITEMS = 200
MAX_OUTPUTS = 16


@dataclass(frozen=True)
class Launch:
    """One launch as the worker tells it."""

    kernel: str
    grid: tuple[int, ...]
    programs: int
    largest_tile: int | None
    line: int | None
    constants: dict[str, int]


@dataclass
class CaseEvidence:
    """What one case gave: outputs and observations, or the failure that kept it from giving any."""

    outputs: list[Output] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    traffic: list[Traffic] = field(default_factory=list)
    lines: list[LineTraffic] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    stored: bool = False
    scratch: list[int] = field(default_factory=list)
    operations: list[HostOperation] = field(default_factory=list)
    failure: Finding | None = None


@dataclass
class Evidence:
    """All that one worker told of one submission.

    Attributes:
        cases: by index; an index that is missing was never reached.
        failure: what ended the run before its end, if anything did.
        pictured: the launches of one case, access by access, where that was asked for.
        output: what the submission printed.
    """

    cases: dict[int, CaseEvidence] = field(default_factory=dict)
    failure: Finding | None = None
    compiled: list[CompileResult] = field(default_factory=list)
    compile_findings: list[Finding] = field(default_factory=list)
    inspected: list[InspectedKernel] = field(default_factory=list)
    measured: dict[str, Any] | None = None
    timed_outputs: list[Output] = field(default_factory=list)
    pictured: tuple[PicturedLaunch, ...] | None = None
    output: str = ""


def tampering(path: Path, what: str) -> Finding:
    """Return the finding for messages that no worker of ours sends."""
    text = f"The messages about this file do not add up ({what}): it wrote to the grader's own channel."
    step = "Write to the output tensor only; the grader reads nothing else."
    return Finding("tampering", text, file=str(path), next_step=step)


def case_evidence(frame: Frame) -> CaseEvidence:
    """Read a `case` frame.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    header = frame.header
    return CaseEvidence(
        outputs=outputs(header["outputs"], frame.payload),
        findings=[finding(item) for item in items(header["findings"])],
        traffic=[_traffic(item) for item in items(header["traffic"])],
        lines=[_line(item) for item in items(header["lines"])],
        launches=[_launch(item) for item in items(header["launches"])],
        stored=header["stored"] is True,
        scratch=[count(item) for item in items(header["scratch"])],
        operations=[
            HostOperation(text(item["name"])[:80], count(item["calls"]), count(item["bytes"]))
            for item in items(header["operations"])
        ],
    )


def finding(data: dict[str, Any]) -> Finding:
    """Read one finding; text is cut at `MAX_TEXT` characters."""
    details = data.get("details")
    return Finding(
        code=text(data["code"])[:80],
        message=text(data["message"]),
        severity=Severity(data.get("severity", "error")),
        file=optional_text(data.get("file")),
        line=optional_count(data.get("line")),
        case=optional_text(data.get("case")),
        next_step=optional_text(data.get("next_step")),
        details=details if isinstance(details, dict) else {},
    )


def compile_result(data: dict[str, Any]) -> CompileResult:
    """Read one compile result."""
    numbers = ("registers", "spills", "shared_bytes", "num_warps", "num_stages")
    return CompileResult(
        kernel=text(data["kernel"]),
        target=text(data["target"]),
        ok=data["ok"] is True,
        **{name: optional_count(data.get(name)) for name in numbers},
    )


def outputs(headers: Any, payload: bytes) -> list[Output]:
    """Cut a payload into outputs as their headers say.

    Raises:
        ValueError, TypeError, KeyError: if the headers are not of the expected form.
    """
    if not isinstance(headers, list) or len(headers) > MAX_OUTPUTS:
        raise ValueError("the outputs are not a short list")
    found, offset = [], 0
    for header in headers:
        size = count(header["nbytes"])
        found.append(Output.from_header(header, payload[offset : offset + size]))
        offset += size
    return found


def items(value: Any) -> list[Any]:
    """Return a list, cut at `MAX_ITEMS`; raises TypeError for anything else."""
    if not isinstance(value, list):
        raise TypeError(f"a list is expected, not {type(value).__name__}")
    return value[:MAX_ITEMS]


def _traffic(data: dict[str, Any]) -> Traffic:
    return Traffic(
        argument=text(data["argument"]),
        loaded_bytes=count(data["loaded_bytes"]),
        stored_bytes=count(data["stored_bytes"]),
        loaded_times=float(data["loaded_times"]),
        stored_times=float(data["stored_times"]),
        atomic_bytes=count(data["atomic_bytes"]),
        tensor=optional_text(data["tensor"]),
    )


def _line(data: dict[str, Any]) -> LineTraffic:
    return LineTraffic(
        file=text(data["file"]),
        line=count(data["line"]),
        argument=text(data["argument"]),
        loaded_bytes=count(data["loaded_bytes"]),
        stored_bytes=count(data["stored_bytes"]),
        atomic_bytes=count(data["atomic_bytes"]),
        tensor_bytes=optional_count(data["tensor_bytes"]),
    )


def _launch(data: dict[str, Any]) -> Launch:
    return Launch(
        kernel=text(data["kernel"]),
        grid=tuple(count(size) for size in items(data["grid"])),
        programs=count(data["programs"]),
        largest_tile=optional_count(data["largest_tile"]),
        line=optional_count(data["line"]),
        constants={text(name): value for name, value in data["constants"].items() if type(value) is int},
    )


def text(value: Any) -> str:
    """Return text, cut at `MAX_TEXT` characters; raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"text is expected, not {type(value).__name__}")
    return value[:MAX_TEXT]


def optional_text(value: Any) -> str | None:
    """Return text or `None`."""
    return None if value is None else text(value)


def count(value: Any) -> int:
    """Return a whole number from 0 on; raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"a count is expected, not {value!r:.80}")
    return value


def optional_count(value: Any) -> int | None:
    """Return a count or `None`."""
    return None if value is None else count(value)
