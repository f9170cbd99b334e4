"""Record and run one submission, and collect the evidence. Nothing is judged here."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

from safetensors.torch import save

from tritonpuzzles.curriculum.record import Task
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence, Recorded, SomeRows
from tritonpuzzles.judge.evidence.fields import SENT, Output
from tritonpuzzles.judge.truth import rows_to_look_at
from tritonpuzzles.judge.workers import job
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.endings import Compiling, Said, compile_seconds
from tritonpuzzles.judge.workers.following import Following, Progress
from tritonpuzzles.judge.workers.job import Texts, host_of, job_cases, max_payload_bytes, seen_device
from tritonpuzzles.judge.workers.lanes import CaseProgram, Lanes
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.judge.workers.reader import Reader
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.speed import Benchmark
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import Job, JobCase
from tritonpuzzles.wire.observed import MAX_PICTURE_BYTES, MAX_STATES_BYTES
from tritonpuzzles.wire.program import MAX_PROGRAM_BYTES

MOST_CONFIGURATIONS = 32  # of an autotuner: with more, none but the first is tried, and the file fails


@dataclass
class Trial:
    """One file on one device."""

    task: Task
    file: Submission
    device: str  # "cpu" or "cuda"
    cases: Sequence[DrawnCase]
    timeout: float | None  # seconds for each stage, or `None` for the defaults
    progress: Progress
    targets: tuple[str, ...] = ()
    resources: bool = False  # also request the compiled kernels' resources
    chosen: bool = False  # the user asked for one case, so that the task has no others here
    on_case: Callable[[DrawnCase, CaseEvidence], None] = lambda drawn, evidence: None  # called with each case that ran
    # failed, is_wrong: whether any case is known to be wrong; only `failed` waits for cases that are being judged
    failed: Callable[[], bool] = lambda: False
    is_wrong: Callable[[], bool] = lambda: False
    on_values: Callable[[Evidence], None] = lambda evidence: None  # called before kernels are compiled
    deadline: float | None = None  # CPU seconds for all of the file's own stages together
    yardsticks: Benchmark | None = None  # of an earlier file, timed with the same case on this GPU; else they are timed

    def __post_init__(self) -> None:
        self._reader = Reader(self.cases, self.file, self.task.call, self.resources)
        self._texts: Texts | None = None
        said = Said(self.task, self.file, self.device, self.cases)
        self._following = Following(
            self._reader, said, self.timeout,
            lambda sentence: self.progress(sentence), lambda: self.is_wrong(), self.deadline,  # who listens may change
        )  # fmt: skip
        self._telling = job.telling_cases(self.cases)
        self._prepared: Evidence | None = None
        self._programs: dict[int, CaseProgram] = {}

    @property
    def benchmark_case(self) -> int | None:
        """Index of the timed case, if this device runs it."""
        spec = self.task.benchmark
        return next((index for index, drawn in enumerate(self.cases) if spec and drawn.name == spec.case), None)

    @cached_property
    def _job_cases(self) -> tuple[JobCase, ...]:
        """The descriptions of the calls, each with the GPU that its case names, if kernels are compiled for that GPU.

        If launches are compared with the GPU, it need not be a target.
        """
        held, named = self.task.limits.at_once is not None, (drawn.case for drawn in self.cases)
        usual = seen_device(self.device, self.targets) if held else None
        there = self.device == "cpu"  # else it is the machine's own
        asked = [case.gpu if there and (held or case.cached or case.gpu in self.targets) else "" for case in named]
        return job_cases(self.cases, [job.example(gpu) if gpu else usual for gpu in asked], held)

    def prepare(self, crew: Crew) -> Evidence:
        """Send the engines their inputs, which needs no file yet; `gather` does so if it has not been done."""
        crew.await_ready()
        self._prepared = Evidence(engine_confinement=crew.confinement)
        self._reader.file = job.readable_in(crew.recorder.folder, self.file, self.task)
        crew.recorder.accept(MAX_PROGRAM_BYTES)
        memory = save(job.storages(self.cases))
        asked = Job(
            file=str(self._reader.file.opened),
            host=host_of(self.task),
            device=self.device,
            cases=self._job_cases,
            targets=self.targets,
            benchmark=job.job_benchmark(self.task, self.benchmark_case, self.yardsticks is None),
            resources=self.resources,
        )
        for engine in crew.engines:
            engine.accept(max_payload_bytes(self.cases))
            engine.command("job", memory, job=asdict(asked))
            self._following.follow(engine, self._prepared)
        return self._prepared

    def gather(self, crew: Crew) -> Evidence:
        """Have every case recorded and run, and return the evidence.

        Raises WorkerBrokenError if a process never became ready.
        """
        evidence = self._prepared or self.prepare(crew)
        self._following.begin()
        if self._reader.file is not self.file:
            with contextlib.suppress(FileNotFoundError):  # a file that has been deleted is reported as missing
                shutil.copyfile(self.file.opened, self._reader.file.opened)
        opened, cases = self._reader.file.opened, [asdict(case) for case in self._job_cases]
        seen = seen_device(self.device, self.targets)  # the GPU that the host function sees
        told: dict[str, Any] = {"host": asdict(host_of(self.task)), "device": asdict(seen), "cases": cases}
        crew.recorder.command("record", file=str(opened), bounds=job.bounds(opened), **told)
        ahead = partial(self._compile_ahead, crew, evidence) if self.device == "cuda" else None
        with Lanes(crew.engines, partial(self._catch_up, crew, evidence), ahead) as lanes:
            self._following.follow(crew.recorder, evidence, partial(self._begin, lanes, crew, evidence))
            lanes.finish()
        if self._following.has_enough(evidence):  # the recorder may have been stopped before its last case
            evidence.left_out |= set(range(len(cases))) - evidence.cases.keys()
        if evidence.failure is None:
            self.on_values(evidence)
            if self.device == "cpu":  # on a GPU, kernels that ran have been compiled
                self._compile(crew.engine, evidence)
        evidence.output = crew.output
        return evidence

    def _compile(self, engine: Worker, evidence: Evidence) -> None:
        """Have the kernels compiled, in bounded time."""
        failed = any(case.failure is not None for case in evidence.cases.values()) or self.failed()
        each = compile_seconds(self.deadline or self.timeout, failed, self.resources)
        self._reader.compiling = stage = Compiling(each, self.file.shown, self.targets)
        engine.command("compile", seconds=stage.seconds, each=stage.each)
        self._following.follow(engine, evidence, stage="compile")

    def _begin(self, lanes: Lanes, crew: Crew, evidence: Evidence, frame: Frame) -> None:
        """Have an engine run a recorded case as soon as one is free."""
        index = self._reader.case_index(frame)
        if index is None or index in evidence.cases or index in lanes.begun:
            raise ValueError("a case came twice, or without its number")
        recorded = SENT.read(Recorded, frame.header)
        if self._texts is None:
            self._texts = Texts(job.granted(evidence.confined, self._reader.file.opened, crew.recorder.folder))
            self._reader.texts = self._texts.known
            self._texts.of([str(self._reader.file.opened)])  # also if it contains no kernel
        evidence.passed.update(recorded.passed)
        program = CaseProgram(index, frame.payload, self._texts.of(recorded.files), tuple(self._texts.known.values()))
        findings = [self._reader.finding(item) for item in recorded.findings]
        lanes.begin(program, lambda engine: self._run(crew, engine, program, recorded, findings, evidence))

    def _compile_ahead(self, crew: Crew, evidence: Evidence, program: CaseProgram) -> None:
        """Have an engine start to compile a case's kernels: on a GPU, compiling takes longer than running."""
        if not evidence.is_over:
            crew.lend(crew.engine, program.known)
            crew.engine.command("begin", program.payload, case=program.index, texts=program.texts)
            self._following.follow(crew.engine, evidence, stage="run", case=program.index)

    def _run(
        self,
        crew: Crew,
        engine: Worker,
        program: CaseProgram,
        recorded: Recorded,
        findings: list[Finding],
        evidence: Evidence,
    ) -> None:
        """Have an engine run a case."""
        if evidence.is_over:
            return
        index = program.index
        takes_long = self.cases[index].case.cached and self.failed()  # as long as all others, without new results
        if takes_long or self._following.has_enough(evidence):
            evidence.left_out.add(index)
            return
        self._programs[index] = program
        asked = self._job_cases[index]
        if engine is crew.engine or asked.held:  # a helper compiles only for that GPU
            crew.lend(engine, program.known)
        engine.command("case", program.payload, case=index, texts=program.texts)
        self._following.follow(engine, evidence, stage="run", case=index)
        if (found := evidence.cases.get(index)) is None:
            return
        evidence.cases[index] = found = replace(
            found,
            findings=[*findings, *found.findings],
            operations=recorded.operations,
            rows=self._some_rows(engine, index, found.outputs, evidence),
            gpu=asked.gpu if asked.held else None,
        )
        self.on_case(self.cases[index], found)
        if index in self._telling:
            self._try_others(engine, index, evidence)

    def _some_rows(self, engine: Worker, index: int, outputs: Sequence[Output], evidence: Evidence) -> SomeRows | None:
        """Return rows of the outputs of the engine's last call, if whole outputs are too large to be sent.

        If an output has the wrong form, no rows are fetched: its form is finding enough.
        """
        drawn = self.cases[index]
        if drawn.drawing is None or [output.shape for output in outputs] != [wanted.shape for wanted in drawn.outputs]:
            return None
        numbers = rows_to_look_at(drawn.outputs)
        evidence.pieces = ()
        engine.command("rows", rows=numbers)
        self._following.follow(engine, evidence, stage="run", case=index)
        return SomeRows(numbers, evidence.pieces)

    def _catch_up(self, crew: Crew, evidence: Evidence, program: CaseProgram) -> None:
        """Tell the engine that compiles about a case that a helper ran.

        A case that an autotuner tunes, and that tells much, runs again, to try the other configurations.
        """
        if evidence.failure is not None:
            return
        engine, index, again = crew.engine, program.index, Evidence()
        crew.lend(engine, program.known)
        known = evidence.cases.get(index, CaseEvidence())
        tried = bool(known.configurations) and index in self._telling
        more = {} if tried else {"configuration": known.configuration}
        engine.command("case" if tried else "note", program.payload, case=index, texts=program.texts, **more)
        self._following.follow(engine, again, stage="run", case=index)
        if tried and index in again.cases:
            self._try_others(engine, index, again)
        evidence.failure = evidence.failure or again.failure

    def _try_others(self, engine: Worker, index: int, evidence: Evidence) -> None:
        """Have the other configurations of an autotuner run on a case."""
        kept = evidence.cases[index]
        for number in range(len(kept.configurations)) if len(kept.configurations) <= MOST_CONFIGURATIONS else ():
            if number != kept.configuration and evidence.failure is None:
                engine.command("configuration", case=index, configuration=number)
                self._following.follow(engine, evidence, stage="run", case=index)

    def measure(self, crew: Crew, evidence: Evidence) -> None:
        """Request timings from an engine that has run every case, and add them to the evidence."""
        crew.engine.command("benchmark")
        self._following.follow(crew.engine, evidence, stage="benchmark")
        if self.benchmark_case is not None and evidence.failure is None and evidence.measured is not None:
            evidence.timed_rows = self._some_rows(crew.engine, self.benchmark_case, evidence.timed_outputs, evidence)

    def behind_l2(
        self, crew: Crew, index: int, l2: L2, times: float = 1.0, per_multiprocessor: Mapping[str, int] | None = None
    ) -> Evidence:
        """Request the DRAM traffic of a case behind an L2 cache; see `picture`.

        The call represents one with `times` as many programs. `per_multiprocessor` maps kernels, by `variant_of`, to
        the number of their programs that fit on one multiprocessor, where that is known.
        """
        told: dict[str, Any] = {"l2": asdict(l2), "times": times, "per_multiprocessor": dict(per_multiprocessor or {})}
        return self._once_more(crew.engine, "cache", index, 0, **told)

    def picture(self, crew: Crew, index: int) -> Evidence:
        """Have an engine that has run every case run one again, with every access recorded; return its report."""
        return self._once_more(crew.engine, "picture", index, MAX_PICTURE_BYTES)

    def states(self, crew: Crew, index: int) -> Evidence:
        """Request the recorded values of variables; see `picture`."""
        return self._once_more(crew.engine, "states", index, MAX_STATES_BYTES)

    @property
    def text_file(self) -> str:
        """The path of the file in a program's texts."""
        return str(self._reader.file.opened)

    def program(self, case: str) -> CaseProgram:
        """Return the recorded program of a case that has run, by the case's name."""
        return next(program for index, program in self._programs.items() if self.cases[index].name == case)

    def replay(self, crew: Crew, program: CaseProgram, more: float) -> CaseEvidence | None:
        """Run a changed program of a case: other launches, or other texts.

        The engine cannot be used for anything else afterwards. Return the results; `None` if the program ended the
        engine, or took `more` seconds beyond twice the time of the case.
        """
        index, most = program.index, max_payload_bytes(self.cases)
        told = self._once_more(crew.engine, "replay", index, most, program.payload, texts=program.texts, more=more)
        return told.cases.get(index)

    def _once_more(
        self, engine: Worker, kind: str, index: int, most_bytes: int, payload: bytes = b"", **told: Any
    ) -> Evidence:
        evidence = Evidence()
        engine.accept(most_bytes)
        engine.command(kind, payload, case=index, **told)
        self._following.follow(engine, evidence, stage=kind, case=index)
        return evidence
