"""Read the workers' messages of one trial, field by field, into its evidence.

Nothing is trusted: the sender may not be our code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence, case_evidence, finding, known_by_name, pieces
from tritonpuzzles.judge.evidence.fields import SENT, outputs
from tritonpuzzles.judge.evidence.memory import cache_traffic, kernel_resources, launch_accesses
from tritonpuzzles.judge.evidence.states import launch_states
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.workers.endings import Compiling
from tritonpuzzles.results.check import CompileResult, Confinement, Finding
from tritonpuzzles.results.cover import QUOTED
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import LaunchAccesses
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.reading import read_fact, read_facts


@dataclass(frozen=True)
class _Begun:
    """An engine's message before it compiles a launch."""

    launch: str
    file: str | None
    line: int | None


@dataclass
class Reader:
    """Reads the messages of one trial."""

    cases: Sequence[DrawnCase]  # drawn for this run
    file: Submission  # as the workers open it
    call: str  # of the host function, for messages
    resources: bool  # whether the compiled kernels' resources were requested
    texts: Mapping[str, str] = field(default_factory=dict)  # of kernels' files, as the judge reads them
    compiling: Compiling | None = None  # the compile stage, once it has begun

    def take(self, frame: Frame, evidence: Evidence) -> None:
        """Add a message to the evidence.

        Raises ProtocolError, ValueError, TypeError, KeyError for a message that none of our workers sends.
        """
        header = frame.header
        match frame.kind:
            case "case" | "case_failed":
                index = self.case_index(frame)
                if index is None or (index in evidence.cases and frame.kind == "case"):
                    raise ValueError("a case came twice, or without its number")
                told = self._case(frame, index)
                if frame.kind == "case" and header["cache"] is not None:
                    told = replace(told, cache=cache_traffic(header["cache"], self.file))
                evidence.cases[index] = told
            case "confined" if evidence.confinement is None:  # a second one would be forged
                evidence.confinement, evidence.confined = SENT.read(Confinement, header), header
            case "configuration" | "configuration_failed":
                self._take_other(frame, evidence)
            case "configuration_left_out":
                pass
            case "failed":
                evidence.failure = self.finding(header["finding"])
            case "left_out" if evidence.note is None and header["finding"]["code"] == "left-out":
                evidence.note = self.finding(header["finding"])
            case "compiling" if self.compiling is not None:
                begun = SENT.read(_Begun, header)
                self.compiling.begin(begun.launch, self.file.known(begun.file or ""), begun.line)
            case "compiled":
                evidence.compiled += SENT.read(list[CompileResult], header["results"])
                evidence.compile_findings += self.worded(read_facts(header["facts"]))
                if self.resources:
                    evidence.resources.append(kernel_resources(header["resources"]))
            case "benchmark":
                evidence.measured = SENT.read(dict[str, Any], header["measured"])
                evidence.timed_outputs = outputs(header["outputs"], frame.payload)
            case "rows":
                evidence.pieces = pieces(frame)
            case "picture":
                evidence.accesses = tuple(map(self._launch_named, launch_accesses(frame)))
            case "cache":
                evidence.cache = cache_traffic(header["traffic"], self.file)
            case "states":
                evidence.states = launch_states(frame)
            case kind:
                raise ValueError(f"a message of unknown kind {kind!r}")

    def _take_other(self, frame: Frame, evidence: Evidence) -> None:
        index, number = self.case_index(frame), SENT.read(int, frame.header["configuration"])
        if index is None or index not in evidence.cases or (index, number) in evidence.others:
            raise ValueError("a configuration came twice, or without its case")
        if number >= len(evidence.cases[index].configurations):
            raise ValueError(f"there is no configuration {number}")
        evidence.others[index, number] = self._case(frame, index)

    def _case(self, frame: Frame, index: int) -> CaseEvidence:
        """Return a case's results or failure, with the file's public name."""
        if frame.kind.endswith("_failed"):
            return CaseEvidence(failure=self.failure(frame.header), lost=frame.header["lost"] is True)
        drawn = self.cases[index]
        told = case_evidence(frame, drawn.sizes, [output.name for output in drawn.outputs])
        lines = [replace(line, file=self.file.known(line.file)) for line in told.lines]
        orders = tuple(replace(order, file=self.file.known(order.file)) for order in told.orders)
        return replace(told, findings=self.worded(told.facts), lines=lines, orders=orders)

    def case_index(self, frame: Frame) -> int | None:
        """Return the index of the case that a message is about, or `None`.

        Raises ValueError if there is no such case.
        """
        index = frame.header.get("case")
        if index is None:
            return None
        if not isinstance(index, int) or not 0 <= index < len(self.cases):
            raise ValueError(f"there is no case {index!r}")
        return index

    def finding(self, data: Any) -> Finding:
        """Return a finding that a recorder reported, with the file's public name."""
        return known_by_name(finding(data), self.file)

    def failure(self, header: Mapping[str, Any]) -> Finding:
        """Return what ended a case, as its recorder reported it or an engine saw it."""
        if "fact" not in header:
            return self.finding(header["finding"])
        (found,) = self.worded([read_fact(header["fact"])])
        return found

    def worded(self, facts: Sequence[Fact]) -> list[Finding]:
        """Return an engine's facts in words, with the file's public name."""
        found = map(self._quoted, worded(facts, Known(str(self.file.opened), self.call, self.texts)))
        return [known_by_name(finding, self.file) for finding in found]

    def _quoted(self, found: Finding) -> Finding:
        """Return a finding about another file with the text of its line, as the judge read it."""
        if found.file is None or found.line is None or found.file == str(self.file.opened):
            return found
        lines = self.texts.get(found.file, "").split("\n")
        if not 0 < found.line <= len(lines):
            return found
        return found.noting({QUOTED: lines[found.line - 1].strip()})

    def _launch_named(self, launch: LaunchAccesses) -> LaunchAccesses:
        accesses = (replace(access, file=self.file.known(access.file)) for access in launch.accesses)
        return replace(launch, accesses=tuple(accesses))
