"""Have one submission recorded and run, and gather the evidence. Decides nothing."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from safetensors.torch import save

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.accesses import MAX_PAYLOAD, launch_accesses
from tritonpuzzles.judge.evidence.cases import (
    CaseEvidence,
    Evidence,
    Recorded,
    case_evidence,
    compile_result,
    confinement,
    finding,
    known_by_name,
    recorded_case,
    tampering,
)
from tritonpuzzles.judge.evidence.fields import count, items, table, text
from tritonpuzzles.judge.evidence.outputs import outputs
from tritonpuzzles.judge.evidence.resources import kernel_resources
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.workers.bounds import bounds
from tritonpuzzles.judge.workers.compiling import COMPILING, COMPILING_FAILED, CRASHES, INSPECTING, Compiling
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.endings import ended
from tritonpuzzles.judge.workers.lanes import CaseProgram, Lanes
from tritonpuzzles.judge.workers.process import Worker, WorkerEndedError, WorkerTimeoutError
from tritonpuzzles.judge.workers.seen import seen_device
from tritonpuzzles.judge.workers.telling import telling_cases
from tritonpuzzles.judge.workers.texts import Texts
from tritonpuzzles.judge.workers.told import host_of, job_cases, max_payload_bytes, storages
from tritonpuzzles.results.accesses import LaunchAccesses
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame, ProtocolError
from tritonpuzzles.wire.job import Job, JobBenchmark, JobCase

SECONDS = {"import": 60.0, "run": 60.0, "benchmark": 180.0}  # of a stage; each case is one
ALL_STAGES = 10.0  # times what a case may take: for all that a file does on a device
MOST_CONFIGURATIONS = 32  # of an autotuner that are tried
MAX_PROGRAM_BYTES = 16 << 20  # of one case

Progress = Callable[[str], None]


@dataclass
class Trial:
    """One file on one device.

    Attributes:
        puzzle, file: what is tried.
        device: "cpu" or "cuda".
        cases: drawn for this run.
        timeout: seconds for each stage, or `None` for the defaults.
        resources: also ask what the compiled kernels use.
        on_case: called with each case that gave a result, as soon as it is told of.
        failed: tells, once all cases are told of, whether any of them is known to be wrong.
        on_values: called once all cases are told of, before their kernels are compiled.
    """

    puzzle: Puzzle
    file: Submission
    device: str
    cases: Sequence[DrawnCase]
    timeout: float | None
    progress: Progress
    targets: tuple[str, ...] = ()
    cache: Path | None = None
    resources: bool = False
    on_case: Callable[[DrawnCase, CaseEvidence], None] = lambda drawn, evidence: None
    failed: Callable[[], bool] = lambda: False
    on_values: Callable[[Evidence], None] = lambda evidence: None

    def __post_init__(self) -> None:
        self._told_as = self.file  # as the recorder opens it
        self._texts = Texts()
        self._deadline = time.monotonic() + self._in_all
        self._telling = telling_cases(self.cases)
        self._compiling: Compiling | None = None
        self._prepared: Evidence | None = None

    @property
    def benchmark_case(self) -> int | None:
        """Index of the case that is timed, where this device has it."""
        spec = self.puzzle.benchmark
        names = [drawn.name for drawn in self.cases]
        return names.index(spec.case) if spec is not None and spec.case in names else None

    @property
    def compiling_words(self) -> str:
        """What the last stage does: "compiling for sm_80 and sm_90"."""
        return f"compiling for {' and '.join(self.targets) or 'the GPU'}"

    @property
    def call(self) -> str:
        """The host function as messages name it: "softmax(x)"."""
        return self.puzzle.call

    def prepare(self, crew: Crew) -> Evidence:
        """Give the engine its inputs, which needs no file yet; `gather` does it where nobody has.

        Raises:
            WorkerBrokenError: if a process never became ready.
        """
        crew.await_ready()
        self._prepared = Evidence()
        self._told_as = self._readable_in(crew.recorder.folder)
        crew.recorder.accept(MAX_PROGRAM_BYTES)
        memory, job = save(storages(self.cases)), asdict(self._job(job_cases(self.cases)))
        for engine in crew.engines:
            engine.accept(max_payload_bytes(self.cases))
            engine.command("job", memory, job=job)
            self._follow(engine, self._prepared)
        return self._prepared

    def gather(self, crew: Crew) -> Evidence:
        """Have every case recorded and run, and return what was told.

        Raises:
            WorkerBrokenError: if a process never became ready.
        """
        evidence = self._prepared or self.prepare(crew)
        self._deadline = time.monotonic() + self._in_all
        self._bring_copy()
        cases = job_cases(self.cases)
        file, host = str(self._told_as.opened), asdict(host_of(self.puzzle))
        device = asdict(seen_device(self.device, self.targets))
        told: dict[str, Any] = {"file": file, "host": host, "device": device, "bounds": bounds(self._told_as.opened)}
        crew.recorder.command("record", **told, cases=[asdict(case) for case in cases])
        with Lanes(crew.engines) as lanes:
            self._follow(crew.recorder, evidence, lambda frame: self._begin(lanes, frame, evidence))
            lanes.finish()
        if evidence.failure is None:
            self._catch_up(crew.engine, lanes, evidence)
        if evidence.failure is None:
            self.on_values(evidence)
            self._compile(crew.engine, evidence)
        evidence.output = crew.output
        return evidence

    def _compile(self, engine: Worker, evidence: Evidence) -> None:
        """Have the kernels compiled, in bounded time."""
        self._compiling = Compiling(self._compile_seconds(evidence), self.file.shown, self.targets)
        engine.command("compile", seconds=self._compiling.seconds)
        self._follow(engine, evidence, stage="compile")

    def _compile_seconds(self, evidence: Evidence) -> float:
        """Return the seconds in which all kernels must be compiled."""
        stopped = any(case.failure is not None for case in evidence.cases.values())
        seconds = INSPECTING if self.resources else COMPILING_FAILED if stopped or self.failed() else COMPILING
        return seconds if self.timeout is None else min(seconds, self.timeout)

    def _begin(self, lanes: Lanes, frame: Frame, evidence: Evidence) -> None:
        """Have an engine run what was recorded of a case, as soon as one is free."""
        index = self._case_index(frame)
        if index is None or index in evidence.cases or index in lanes.begun:
            raise ValueError("a case came twice, or without its number")
        recorded = recorded_case(frame)
        program = CaseProgram(index, frame.payload, self._texts.of(recorded.files))
        findings = [self._finding(item) for item in recorded.findings]
        lanes.begin(program, lambda engine: self._run(engine, program, recorded, findings, evidence))

    def _run(
        self, engine: Worker, program: CaseProgram, recorded: Recorded, findings: list[Finding], evidence: Evidence
    ) -> None:
        """Have an engine run a case."""
        if evidence.failure is not None or self._is_lost(evidence):
            return
        index = program.index
        engine.command("case", program.payload, case=index, texts=program.texts)
        self._follow(engine, evidence, stage="run", case=index)
        found = evidence.cases.get(index)
        if found is None:
            return
        evidence.cases[index] = found = replace(
            found, findings=[*findings, *found.findings], operations=recorded.operations
        )
        self.on_case(self.cases[index], found)
        if index in self._telling:
            self._try_others(engine, index, evidence)

    def _catch_up(self, engine: Worker, lanes: Lanes, evidence: Evidence) -> None:
        """Let the engine that compiles know of what its helpers ran.

        It runs anew what an autotuner chooses in: which configurations are left out shows only then.
        """
        for program in lanes.run_by_helpers:
            known, again = evidence.cases.get(program.index), Evidence()
            chosen = known is not None and bool(known.configurations)
            engine.command("case" if chosen else "note", program.payload, case=program.index, texts=program.texts)
            self._follow(engine, again, stage="run", case=program.index)
            if chosen and program.index in self._telling and program.index in again.cases:
                self._try_others(engine, program.index, again)
            evidence.failure = evidence.failure or again.failure

    def _try_others(self, engine: Worker, index: int, evidence: Evidence) -> None:
        """Have the other configurations of an autotuner run on a case."""
        kept = evidence.cases[index]
        for number in range(min(len(kept.configurations), MOST_CONFIGURATIONS)):
            if number != kept.configuration and evidence.failure is None:
                engine.command("configuration", case=index, configuration=number)
                self._follow(engine, evidence, stage="run", case=index)

    def measure(self, crew: Crew, evidence: Evidence) -> None:
        """Ask an engine that has run every case for timings, and add them to the evidence."""
        crew.engine.command("benchmark")
        self._follow(crew.engine, evidence, stage="benchmark")

    def picture(self, crew: Crew, index: int) -> Evidence:
        """Ask an engine that has run every case to run one again and tell of every access; return what it told."""
        evidence = Evidence()
        crew.engine.accept(MAX_PAYLOAD)
        crew.engine.command("picture", case=index)
        self._follow(crew.engine, evidence, stage="picture")
        return evidence

    def _job(self, cases: tuple[JobCase, ...]) -> Job:
        return Job(
            file=str(self._told_as.opened),
            host=host_of(self.puzzle),
            device=self.device,
            cases=cases,
            targets=self.targets,
            cache=str(self.cache) if self.cache else None,
            benchmark=self._job_benchmark(),
            resources=self.resources,
        )

    def _job_benchmark(self) -> JobBenchmark | None:
        if self.benchmark_case is None or self.puzzle.benchmark is None:
            return None
        baselines = dict(resolve(self.puzzle).baselines)
        return JobBenchmark(
            self.benchmark_case, baselines, not self.puzzle.benchmark.memory_bound, str(self.puzzle.folder)
        )

    def _readable_in(self, folder: Path) -> Submission:
        """Return the file as the worker opens it: a copy where ptxas could not read its name."""
        opened = self.file.opened
        if (opened.name.isascii() and '"' not in str(opened)) or not opened.is_file():
            return self.file
        return replace(self.file, opened=folder / f"{self.puzzle.stem}.py")

    def _bring_copy(self) -> None:
        """Make the copy, where one is opened; a file that has gone since is told of as missing."""
        if self._told_as is not self.file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self.file.opened, self._told_as.opened)

    def _follow(
        self,
        worker: Worker,
        evidence: Evidence,
        on_recorded: Callable[[Frame], None] | None = None,
        stage: str = "import",
        case: int | None = None,
    ) -> None:
        """Take frames until a worker is done, or something ends it."""
        budget = len(self.cases) * 4 + 64  # frames; a flood is as bad as silence
        try:
            for _ in range(budget):
                frame = worker.receive(min(self._seconds(stage), max(0.0, self._deadline - time.monotonic())))
                if frame.kind == "done":
                    return
                if frame.kind == "stage":
                    stage, case = str(frame.header["stage"]), self._case_index(frame)
                    if on_recorded is None or case is None:  # the engine tells of the same case
                        self.progress(self._progress_line(stage, case))
                elif frame.kind == "recorded" and on_recorded is not None:
                    on_recorded(frame)
                    if evidence.failure is not None or self._is_lost(evidence):
                        return
                else:
                    self._take(frame, evidence)
            raise ProtocolError(f"more than {budget} messages came")
        except WorkerTimeoutError:
            if stage == "compile" and self._compiling is not None:
                evidence.compile_findings.append(self._compiling.timed_out())
            else:
                evidence.failure = self._timed_out(stage, case)
            worker.kill()
        except WorkerEndedError as error:
            if stage == "compile" and self._compiling is not None and error.returncode in CRASHES:
                evidence.compile_findings.append(self._compiling.crashed(error.returncode))
            else:
                evidence.failure = self._ended(stage, case, error.returncode)
        except (ProtocolError, ValueError, TypeError, KeyError) as error:
            evidence.failure = tampering(self.file, str(error))
            worker.kill()

    @staticmethod
    def _is_lost(evidence: Evidence) -> bool:
        """Return whether the engine can run no further case: a GPU's context is gone."""
        return any(case.lost for case in list(evidence.cases.values()))

    def _seconds(self, stage: str) -> float:
        if stage == "compile" and self._compiling is not None:
            return self._compiling.left
        return self.timeout if self.timeout is not None else SECONDS.get(stage, 60.0)

    @property
    def _in_all(self) -> float:
        return ALL_STAGES * self._seconds("run")

    def _case_index(self, frame: Frame) -> int | None:
        index = frame.header.get("case")
        if index is None:
            return None
        if not isinstance(index, int) or not 0 <= index < len(self.cases):
            raise ValueError(f"there is no case {index!r}")
        return index

    def _take(self, frame: Frame, evidence: Evidence) -> None:
        header = frame.header
        if frame.kind in ("case", "case_failed"):
            index = self._case_index(frame)
            if index is None or (index in evidence.cases and frame.kind == "case"):
                raise ValueError("a case came twice, or without its number")
        match frame.kind:
            case "case":
                drawn = self.cases[header["case"]]
                told = case_evidence(frame, drawn.sizes, [output.name for output in drawn.outputs])
                evidence.cases[header["case"]] = self._named(told)
            case "case_failed":
                lost = header["lost"] is True
                evidence.cases[header["case"]] = CaseEvidence(failure=self._finding(header["finding"]), lost=lost)
            case "confined" if evidence.confinement is None:  # a second one is the file's own
                evidence.confinement = confinement(header)
            case "configuration" | "configuration_failed":
                self._take_other(frame, evidence)
            case "configuration_left_out":
                pass
            case "failed":
                evidence.failure = self._finding(header["finding"])
            case "compiling" if self._compiling is not None:
                self._compiling.launch = text(header["launch"])
            case "compiled":
                evidence.compiled += [compile_result(item) for item in items(header["results"])]
                evidence.compile_findings += [self._finding(item) for item in items(header["findings"])]
                if self.resources:
                    evidence.resources.append(kernel_resources(header["resources"]))
            case "benchmark":
                evidence.measured = table(header["measured"])
                evidence.timed_outputs = outputs(header["outputs"], frame.payload)
            case "picture":
                evidence.accesses = tuple(self._launch_named(launch) for launch in launch_accesses(frame))
            case kind:
                raise ValueError(f"a message of unknown kind {kind!r}")

    def _take_other(self, frame: Frame, evidence: Evidence) -> None:
        header = frame.header
        index, number = self._case_index(frame), count(header["configuration"])
        if index is None or index not in evidence.cases or (index, number) in evidence.others:
            raise ValueError("a configuration came twice, or without its case")
        if number >= len(evidence.cases[index].configurations):
            raise ValueError(f"there is no configuration {number}")
        if frame.kind == "configuration_failed":
            told = CaseEvidence(failure=self._finding(header["finding"]), lost=header["lost"] is True)
        else:
            drawn = self.cases[index]
            told = self._named(case_evidence(frame, drawn.sizes, [output.name for output in drawn.outputs]))
        evidence.others[index, number] = told

    def _finding(self, data: Any) -> Finding:
        return known_by_name(finding(data), self._told_as)

    def _named(self, told: CaseEvidence) -> CaseEvidence:
        """Return what a case told, with the name by which the file is known."""
        findings = [known_by_name(found, self._told_as) for found in told.findings]
        lines = [replace(line, file=self._told_as.known(line.file)) for line in told.lines]
        return replace(told, findings=findings, lines=lines)

    def _launch_named(self, launch: LaunchAccesses) -> LaunchAccesses:
        accesses = (replace(access, file=self._told_as.known(access.file)) for access in launch.accesses)
        return replace(launch, accesses=tuple(accesses))

    def _progress_line(self, stage: str, case: int | None) -> str:
        name = f"p{self.puzzle.number:02d} {self.puzzle.slug} on the {'GPU' if self.device == 'cuda' else 'CPU'}"
        if case is None:
            return f"{name}: {stage}"
        return f"{name}: {self.cases[case].name} ({case + 1} of {len(self.cases)})"

    def _during(self, stage: str, case: int | None) -> str:
        if case is None:
            return {"import": f"while {self.file.name} was imported"}.get(stage, f"during the {stage}")
        drawn = self.cases[case]
        return f'in case "{drawn.name}", shape {"x".join(str(n) for n in drawn.shape)}'

    def _timed_out(self, stage: str, case: int | None) -> Finding:
        over = time.monotonic() >= self._deadline
        seconds = f"{self._in_all:g} s in all" if over else f"{self._seconds(stage):g} s"
        return Finding(
            "timeout",
            f"{self.call} did not finish within {seconds}, {self._during(stage, case)}.",
            file=str(self.file),
            case=None if case is None else self.cases[case].name,
            next_step="Look for a loop that never ends; a slow machine may need --timeout with more seconds.",
        )

    def _ended(self, stage: str, case: int | None, returncode: int | None) -> Finding:
        found = ended("The file ended its process", self._during(stage, case), returncode, "no result came back")
        step = "Return a tensor; never exit." if found.code == "exit" else None
        return replace(found, file=str(self.file), case=None if case is None else self.cases[case].name, next_step=step)
