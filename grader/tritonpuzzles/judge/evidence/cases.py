"""What a worker reports of a file and its cases: outputs, findings, traffic, launches. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from tritonpuzzles.judge.evidence.fields import SENT, NotNegative, Output, outputs
from tritonpuzzles.judge.evidence.memory import traffic_of
from tritonpuzzles.judge.evidence.states import LaunchStates
from tritonpuzzles.results.check import CompileResult, Confinement, Finding
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.results.inspect import KernelResources
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import HostOperation, LaunchAccesses
from tritonpuzzles.results.traffic import CacheTraffic, LineTraffic, Traffic
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.observed import HostCopy, LaunchSummary, TensorTraffic
from tritonpuzzles.wire.reading import read_facts


@dataclass(frozen=True)
class SomeRows:
    """Some rows of a call's outputs: their indices, and their bytes, one piece for each output."""

    numbers: tuple[int, ...]
    pieces: tuple[bytes, ...]


@dataclass(frozen=True)
class OtherOrder:
    """The outputs of a call whose programs ran in another order, and the line where the order may have mattered."""

    way: str
    file: str
    line: int | None
    outputs: list[Output]


@dataclass
class CaseEvidence:
    """The report on one case: outputs and observations, or the failure that prevented them."""

    outputs: list[Output] = field(default_factory=list)
    # facts: what the engine saw; findings: the recorder's, then the engine's facts in words
    facts: list[Fact] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    traffic: list[Traffic] = field(default_factory=list)
    lines: list[LineTraffic] = field(default_factory=list)
    launches: list[LaunchSummary] = field(default_factory=list)
    stored: bool = False
    scratch: list[int] = field(default_factory=list)
    scratch_bytes: int = 0
    copies: list[HostCopy] = field(default_factory=list)
    operations: list[HostOperation] = field(default_factory=list)
    failure: Finding | None = None
    lost: bool = False  # whether the process that ran it cannot be used any more
    exact: list[Output] = field(default_factory=list)  # of a run without TF32; empty if no operand is rounded to TF32
    configurations: tuple[str, ...] = ()  # the autotuner's configurations that compute different things, in words
    configuration: int = 0  # the index of this case's configuration among them
    rows: SomeRows | None = None  # the requested rows of the outputs, if whole outputs are too large to be sent
    gpu: Device | None = None  # the GPU that its launches are compared with, if any; known to the judge, not reported
    cache: CacheTraffic | None = None  # DRAM traffic behind that GPU's L2 cache, if the case requests it
    orders: tuple[OtherOrder, ...] = ()  # results of other program orders, where the order may matter
    seconds: float = 0.0  # compute time that the engine reports

    @property
    def moved_bytes(self) -> int:
        """The bytes that its launches move between chip and memory, as the ledger counts them."""
        return sum(row.moved_bytes for row in self.traffic)


@dataclass
class Evidence:
    """Everything that one worker reported of one submission."""

    cases: dict[int, CaseEvidence] = field(default_factory=dict)  # by index; a missing index was never reached
    left_out: set[int] = field(default_factory=set)  # indices of cases that were skipped because another case was wrong
    failure: Finding | None = None  # what ended the run early, or `None`
    compiled: list[CompileResult] = field(default_factory=list)
    compile_findings: list[Finding] = field(default_factory=list)
    resources: list[KernelResources] = field(default_factory=list)
    measured: dict[str, Any] | None = None
    timed_outputs: list[Output] = field(default_factory=list)
    accesses: tuple[LaunchAccesses, ...] | None = None  # of one case, if requested
    states: tuple[LaunchStates, ...] | None = None  # of one case's variables, if requested
    cache: CacheTraffic | None = None  # DRAM traffic of one case behind an L2 cache, if requested
    output: str = ""  # what the submission printed
    confinement: Confinement | None = None  # of the process that imported it
    engine_confinement: Confinement | None = None  # of the process that ran its kernels, before it had any
    confined: Mapping[str, Any] = field(default_factory=dict)  # what that process reported of its confinement before
    # results of the autotuner's other configurations, by case and configuration
    others: dict[tuple[int, int], CaseEvidence] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()  # of the rows that were requested last
    timed_rows: SomeRows | None = None  # of the last timed call, if whole outputs are too large to be sent
    passed: set[tuple[int, int, int, int]] = field(default_factory=set)  # by the recorder, for all cases; see `Ran`
    note: Finding | None = None  # about a line that was skipped in the import

    @property
    def held(self) -> Confinement | None:
        """The confinement of both processes; `None` if no file was imported."""
        if self.confinement is None or self.engine_confinement is None:
            return self.confinement
        return self.confinement.with_kernels(self.engine_confinement)

    @property
    def is_over(self) -> bool:
        """Whether no further case can run: the run has failed, or the GPU's context is lost."""
        return self.failure is not None or any(case.lost for case in list(self.cases.values()))


def tampering(file: Submission, what: str) -> Finding:
    """Return the finding for messages that none of our workers sends."""
    text = f"The messages about this file do not add up ({what}): it wrote to the grader's own channel."
    step = "Write to the output tensor only; the grader reads nothing else."
    return Finding("tampering", text, file=str(file), next_step=step)


@dataclass(frozen=True)
class _Case:
    """The part of a case's report that is sent beside its outputs; see `CaseEvidence`."""

    facts: list[Any]
    traffic: list[TensorTraffic]
    lines: list[LineTraffic]
    launches: list[Any]
    stored: bool
    scratch: list[int]
    scratch_bytes: int
    copies: list[HostCopy]
    configurations: tuple[str, ...]
    configuration: int
    orders: list[dict[str, Any]]
    seconds: NotNegative


def case_evidence(frame: Frame, sizes: Mapping[str, int], names: Collection[str]) -> CaseEvidence:
    """Read a `case` frame; `sizes` are the bytes of the case's inputs and outputs, `names` the outputs' names.

    Raises ValueError or KeyError if it is not of the expected form.
    """
    told = SENT.read(_Case, frame.header)
    found = outputs(frame.header["outputs"], frame.payload)
    rest = _after(found, frame.payload)
    exact = outputs(frame.header["exact"], rest)
    return CaseEvidence(
        outputs=found,
        exact=exact,
        orders=tuple(_orders(told.orders, _after(exact, rest))),
        facts=read_facts(told.facts),
        traffic=[traffic_of(moved, sizes, names) for moved in told.traffic],
        lines=told.lines,
        launches=[launch_summary(item) for item in told.launches],
        stored=told.stored,
        scratch=told.scratch,
        scratch_bytes=told.scratch_bytes,
        copies=told.copies,
        configurations=told.configurations,
        configuration=told.configuration,
        seconds=told.seconds,
    )


def _after(found: list[Output], payload: bytes) -> bytes:
    """Return the part of a payload that comes after the bytes of some outputs."""
    return payload[sum(len(output.data) for output in found) :]


def _orders(told: list[dict[str, Any]], payload: bytes) -> Iterator[OtherOrder]:
    """Yield other program orders of a call; the outputs of each come after those of the order before."""
    for order in told:
        given = outputs(order["outputs"], payload)
        payload = _after(given, payload)
        yield SENT.read(OtherOrder, order, outputs=given)


def pieces(frame: Frame) -> tuple[bytes, ...]:
    """Read a `rows` frame: one piece for each output that is a tensor; raises as `case_evidence` does."""
    sizes = SENT.read(list[int], frame.header["sizes"])
    if sum(sizes) != len(frame.payload):
        raise ValueError("the rows are not as long as they say")
    ends = list(accumulate(sizes))
    return tuple(frame.payload[end - size : end] for size, end in zip(sizes, ends, strict=True))


@dataclass(frozen=True)
class Recorded:
    """A recorder's report on one case; the program is separate, because the engine reads it."""

    files: list[str]  # paths of the files that contain the kernels
    findings: list[Any]  # not decoded yet
    operations: list[HostOperation]  # PyTorch operations that the host function called
    passed: list[tuple[int, int, int, int]]  # places of its code that ran, each with the one after it; see `Ran`


def finding(item: Any) -> Finding:
    """Read one finding, whose code must be one of the grader's own; text is cut at `MAX_TEXT` characters.

    Raises ValueError if it is not of the expected form.
    """
    found = SENT.read(Finding, item)
    if found.code not in CODES:
        raise ValueError(f"there is no finding {found.code!r:.80}")
    return found


def known_by_name(found: Finding, file: Submission) -> Finding:
    """Return a worker's finding with the file's public name instead of the path that was opened."""
    step = None if found.next_step is None else file.worded(found.next_step)
    place = None if found.file is None else file.known(found.file)
    return replace(found, message=file.worded(found.message), file=place, next_step=step)


def launch_summary(data: Any) -> LaunchSummary:
    """Read an engine's report on a launch; raises as `finding` does."""
    found = SENT.read(LaunchSummary, data)
    if found.fit is not None and not (found.fit.num_warps and found.fit.max_warps and found.fit.num_ctas):
        raise ValueError("a program has at least one warp")
    return found
