"""Take what a worker tells until it is done, in bounded time and number of messages, and enter it in the evidence.

Strict: the other side may not be ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import (
    CaseEvidence,
    Evidence,
    case_evidence,
    confinement,
    finding,
    known_by_name,
    pieces,
    tampering,
)
from tritonpuzzles.judge.evidence.fields import SENT, outputs
from tritonpuzzles.judge.evidence.memory import cache_traffic, kernel_resources, launch_accesses
from tritonpuzzles.judge.evidence.states import launch_states
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.workers.endings import CRASHES, Compiling, Said
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError, WorkerTimeoutError
from tritonpuzzles.results.check import CompileResult, Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import LaunchAccesses
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.frames import Frame, ProtocolError
from tritonpuzzles.wire.job import MOST_VARIANTS
from tritonpuzzles.wire.reading import read_fact, read_facts

SECONDS = {"import": 60.0, "run": 60.0, "benchmark": 180.0}  # of a stage; each case is one
REPLAY = 4.0  # seconds for a case that ran before, with a small change: the engine holds itself to fewer
ENOUGH = 20.0  # seconds, or as many as a case may take, for a file that is wrong: other cases would seldom say more
ALL_STAGES = 10.0  # times what a case may take: for all that a file does on a device

Progress = Callable[[str], None]
OnRecorded = Callable[[Frame], None]


@dataclass(frozen=True)
class _Begun:
    """What an engine says before it compiles a launch."""

    launch: str
    file: str | None
    line: int | None


@dataclass
class Reader:
    """Reads the messages of one trial.

    Attributes:
        cases: drawn for this run.
        file: as the workers open it.
        call: of the host function, for messages.
        resources: whether they were asked what the compiled kernels use.
        texts: of the files that kernels stand in, as the judge reads them.
        compiling: the last stage, once it has begun.
    """

    cases: Sequence[DrawnCase]
    file: Submission
    call: str
    resources: bool
    texts: Mapping[str, str] = field(default_factory=dict)
    compiling: Compiling | None = None

    def take(self, frame: Frame, evidence: Evidence) -> None:
        """Enter a message in the evidence.

        Raises:
            ProtocolError, ValueError, TypeError, KeyError: for what no worker of ours says.
        """
        header = frame.header
        if frame.kind in ("case", "case_failed"):
            index = self.case_index(frame)
            if index is None or (index in evidence.cases and frame.kind == "case"):
                raise ValueError("a case came twice, or without its number")
        match frame.kind:
            case "case":
                drawn = self.cases[header["case"]]
                told = case_evidence(frame, drawn.sizes, [output.name for output in drawn.outputs])
                cache = None if header["cache"] is None else cache_traffic(header["cache"], self.file)
                evidence.cases[header["case"]] = replace(self._named(told), cache=cache)
            case "case_failed":
                lost = header["lost"] is True
                evidence.cases[header["case"]] = CaseEvidence(failure=self.failure(header), lost=lost)
            case "confined" if evidence.confinement is None:  # a second one is the file's own
                evidence.confinement, evidence.confined = confinement(header), header
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
                evidence.accesses = tuple(self._launch_named(launch) for launch in launch_accesses(frame))
            case "cache":
                evidence.cache = cache_traffic(header["traffic"], self.file)
            case "states":
                evidence.states = launch_states(frame)
            case kind:
                raise ValueError(f"a message of unknown kind {kind!r}")

    def _take_other(self, frame: Frame, evidence: Evidence) -> None:
        header = frame.header
        index, number = self.case_index(frame), SENT.read(int, header["configuration"])
        if index is None or index not in evidence.cases or (index, number) in evidence.others:
            raise ValueError("a configuration came twice, or without its case")
        if number >= len(evidence.cases[index].configurations):
            raise ValueError(f"there is no configuration {number}")
        if frame.kind == "configuration_failed":
            told = CaseEvidence(failure=self.failure(header), lost=header["lost"] is True)
        else:
            drawn = self.cases[index]
            told = self._named(case_evidence(frame, drawn.sizes, [output.name for output in drawn.outputs]))
        evidence.others[index, number] = told

    def case_index(self, frame: Frame) -> int | None:
        """Return the index of the case that a message is about; `None` where it is about none.

        Raises:
            ValueError: if there is no such case.
        """
        index = frame.header.get("case")
        if index is None:
            return None
        if not isinstance(index, int) or not 0 <= index < len(self.cases):
            raise ValueError(f"there is no case {index!r}")
        return index

    def finding(self, data: Any) -> Finding:
        """Return a finding as a recorder told of it, with the name by which the file is known."""
        return known_by_name(finding(data), self.file)

    def failure(self, header: Mapping[str, Any]) -> Finding:
        """Return what ended a case, as its recorder says, or as an engine has seen it."""
        if "fact" not in header:
            return self.finding(header["finding"])
        (found,) = self.worded([read_fact(header["fact"])])
        return found

    def worded(self, facts: Sequence[Fact]) -> list[Finding]:
        """Return what an engine has seen in words, with the name by which the file is known."""
        found = worded(facts, Known(str(self.file.opened), self.call, self.texts))
        return [known_by_name(finding, self.file) for finding in found]

    def _named(self, told: CaseEvidence) -> CaseEvidence:
        """Return what a case told, with the name by which the file is known."""
        lines = [replace(line, file=self.file.known(line.file)) for line in told.lines]
        orders = tuple(replace(order, file=self.file.known(order.file)) for order in told.orders)
        return replace(told, findings=self.worded(told.facts), lines=lines, orders=orders)

    def _launch_named(self, launch: LaunchAccesses) -> LaunchAccesses:
        accesses = (replace(access, file=self.file.known(access.file)) for access in launch.accesses)
        return replace(launch, accesses=tuple(accesses))


class Following:
    """Follows the workers of one file on one device.

    Args:
        file: what they run.
        cases: how many there are.
        reader: takes frames into evidence.
        said: has the words for stages and bad ends.
        timeout: seconds for each stage, or `None` for the defaults.
        progress: takes what is being done.
        failed: tells whether any case is known to be wrong: then no other has longer than `enough`.
    """

    def __init__(
        self,
        file: Submission,
        cases: int,
        reader: Reader,
        said: Said,
        timeout: float | None,
        progress: Progress,
        failed: Callable[[], bool],
    ) -> None:
        self._file, self._reader, self._said = file, reader, said
        self._timeout, self._progress, self._failed = timeout, progress, failed
        self._most = cases * 4 + 3 * MOST_VARIANTS + 64  # frames that answer a command: a flood is as bad as silence
        self.begin()

    def begin(self) -> None:
        """Begin to count the seconds that all stages together may take."""
        self._begun = time.monotonic()
        self._deadline = self._begun + self._in_all

    @property
    def seconds(self) -> float:
        """Return how long it has taken until now."""
        return time.monotonic() - self._begun

    def follow(
        self,
        worker: Worker,
        evidence: Evidence,
        on_recorded: OnRecorded | None = None,
        stage: str = "import",
        case: int | None = None,
    ) -> None:
        """Take frames until a worker is done, or something ends it: then the evidence says what.

        Args:
            worker: that was told what to do.
            evidence: takes what it tells.
            on_recorded: takes each case that a recorder has recorded.
            stage: that it begins with.
            case: that it begins with, if any.
        """
        seconds = 0.0
        try:
            for _ in range(self._most):
                seconds = self._seconds(stage)
                frame = worker.receive(min(seconds, max(0.0, self._deadline - time.monotonic())))
                if frame.kind == "done":
                    return
                if frame.kind == "stage":
                    stage, case = str(frame.header["stage"]), self._reader.case_index(frame)
                    if on_recorded is None or case is None:  # the engine tells of the same case
                        self._progress(self._said.doing(stage, case))
                elif frame.kind == "recorded" and on_recorded is not None:
                    on_recorded(frame)
                else:
                    self._reader.take(frame, evidence)
                if on_recorded is not None and (evidence.is_over or self.has_enough(evidence)):
                    return
            raise ProtocolError(f"more than {self._most} messages came")
        except WorkerTimeoutError:
            if stage == "compile" and self._reader.compiling is not None:
                evidence.compile_findings.append(self._reader.compiling.timed_out())
            else:
                evidence.failure = self._said.timed_out(self._time_over(seconds), stage, case)
            worker.kill()
        except WorkerEndedError as error:
            if stage == "compile" and self._reader.compiling is not None and error.returncode in CRASHES:
                evidence.compile_findings.append(self._reader.compiling.crashed(error.returncode))
            else:
                evidence.failure = self._said.ended(error, stage, case)
        except (ProtocolError, ValueError, TypeError, KeyError) as error:
            evidence.failure = tampering(self._file, str(error))
            worker.kill()

    def _seconds(self, stage: str) -> float:
        if stage == "compile" and self._reader.compiling is not None:
            return self._reader.compiling.left
        if stage == "replay":
            return REPLAY
        seconds = self._timeout if self._timeout is not None else SECONDS.get(stage, 60.0)
        return min(seconds, self.enough) if stage == "run" and self._failed() else seconds

    @property
    def enough(self) -> float:
        """Seconds after which no more is asked of a file that is wrong."""
        return max(ENOUGH, self._timeout or 0.0)

    def has_enough(self, evidence: Evidence) -> bool:
        """Return whether a case is known to be wrong, and the seconds for a file that is wrong are over."""
        stopped = any(case.failure is not None for case in list(evidence.cases.values()))
        return self.seconds > self.enough and (stopped or self._failed())

    @property
    def _in_all(self) -> float:
        return ALL_STAGES * (self._timeout if self._timeout is not None else SECONDS["run"])

    def _time_over(self, seconds: float) -> str:
        over = time.monotonic() >= self._deadline
        return f"{self._in_all:g} s in all" if over else f"{seconds:g} s"
