"""Have one submission recorded and run, and gather the evidence. Decides nothing."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from safetensors.torch import save

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence, Recorded, SomeRows, recorded_case
from tritonpuzzles.judge.evidence.outputs import Output
from tritonpuzzles.judge.sample import rows_to_look_at
from tritonpuzzles.judge.workers.bounds import bounds
from tritonpuzzles.judge.workers.compiling import COMPILING, COMPILING_FAILED, INSPECTING, Compiling
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.following import Following, Progress
from tritonpuzzles.judge.workers.lanes import CaseProgram, Lanes
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.judge.workers.reading import Reader
from tritonpuzzles.judge.workers.said import Said
from tritonpuzzles.judge.workers.seen import example, seen_device
from tritonpuzzles.judge.workers.telling import telling_cases
from tritonpuzzles.judge.workers.texts import Texts, granted
from tritonpuzzles.judge.workers.told import host_of, job_benchmark, job_cases, max_payload_bytes, storages
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.frames import Frame
from tritonpuzzles.wire.job import Device, Job, JobCase
from tritonpuzzles.wire.observed import MAX_PICTURE_BYTES as MAX_PAYLOAD
from tritonpuzzles.wire.observed import MAX_STATES_BYTES as MAX_STATES
from tritonpuzzles.wire.program import MAX_PROGRAM_BYTES

MOST_CONFIGURATIONS = 32  # of an autotuner that are tried


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
        failed: tells whether any of the cases that have been told of is known to be wrong.
        on_values: called once all cases are told of, before their kernels are compiled.
    """

    puzzle: Puzzle
    file: Submission
    device: str
    cases: Sequence[DrawnCase]
    timeout: float | None
    progress: Progress
    targets: tuple[str, ...] = ()
    resources: bool = False
    on_case: Callable[[DrawnCase, CaseEvidence], None] = lambda drawn, evidence: None
    failed: Callable[[], bool] = lambda: False
    on_values: Callable[[Evidence], None] = lambda evidence: None

    def __post_init__(self) -> None:
        self._reader = Reader(self.cases, self.file, self.puzzle.call, self.resources)
        self._texts: Texts | None = None
        said = Said(self.puzzle, self.file, self.device, self.cases)
        self._following = Following(
            self.file, len(self.cases), self._reader, said, self.timeout, self._doing, lambda: self.failed()
        )
        self._telling = telling_cases(self.cases)
        self._prepared: Evidence | None = None
        self._programs: dict[int, CaseProgram] = {}

    def _doing(self, sentence: str) -> None:
        self.progress(sentence)  # who listens may change while a trial is being prepared

    @property
    def benchmark_case(self) -> int | None:
        """Index of the case that is timed, where this device has it."""
        spec = self.puzzle.benchmark
        names = [drawn.name for drawn in self.cases]
        return names.index(spec.case) if spec is not None and spec.case in names else None

    @cached_property
    def _seen(self) -> Device:
        """The GPU that the host function finds."""
        return seen_device(self.device, self.targets)

    @cached_property
    def _gpus(self) -> list[Device | None]:
        """For each case the GPU that its launches are held against: the one it names, or the usual, or none."""
        usual = None if self.puzzle.limits.at_once is None else self._seen
        return [example(drawn.case.gpu) if drawn.case.gpu else usual for drawn in self.cases]

    @property
    def compiling_words(self) -> str:
        """What the last stage does: "compiling for sm_80 and sm_90"."""
        return f"compiling for {' and '.join(self.targets) or 'the GPU'}"

    def prepare(self, crew: Crew) -> Evidence:
        """Give the engine its inputs, which needs no file yet; `gather` does it where nobody has.

        Raises:
            WorkerBrokenError: if a process never became ready.
        """
        crew.await_ready()
        self._prepared = Evidence(engine_confinement=crew.confinement)
        self._reader.file = self._readable_in(crew.recorder.folder)
        crew.recorder.accept(MAX_PROGRAM_BYTES)
        memory, job = save(storages(self.cases)), asdict(self._job(job_cases(self.cases, self._gpus)))
        for engine in crew.engines:
            engine.accept(max_payload_bytes(self.cases))
            engine.command("job", memory, job=job)
            self._following.follow(engine, self._prepared)
        return self._prepared

    def gather(self, crew: Crew) -> Evidence:
        """Have every case recorded and run, and return what was told.

        Raises:
            WorkerBrokenError: if a process never became ready.
        """
        evidence = self._prepared or self.prepare(crew)
        self._following.begin()
        self._bring_copy()
        cases = job_cases(self.cases, self._gpus)
        opened, host = self._reader.file.opened, asdict(host_of(self.puzzle))
        device = asdict(self._seen)
        told: dict[str, Any] = {"file": str(opened), "host": host, "device": device, "bounds": bounds(opened)}
        crew.recorder.command("record", **told, cases=[asdict(case) for case in cases])
        with Lanes(crew.engines) as lanes:
            begin = partial(self._begin, lanes, crew, evidence)
            self._following.follow(crew.recorder, evidence, begin)
            lanes.finish()
        if self._following.has_enough(evidence):  # the recorder may have been stopped before its last case
            evidence.left_out |= set(range(len(cases))) - evidence.cases.keys()
        if evidence.failure is None:
            self._catch_up(crew.engine, lanes, evidence)
        if evidence.failure is None:
            self.on_values(evidence)
            self._compile(crew.engine, evidence)
        evidence.output = crew.output
        return evidence

    def _compile(self, engine: Worker, evidence: Evidence) -> None:
        """Have the kernels compiled, in bounded time."""
        stage = Compiling(self._compile_seconds(evidence), self.file.shown, self.targets)
        self._reader.compiling = stage
        engine.command("compile", seconds=stage.seconds, each=stage.each)
        self._following.follow(engine, evidence, stage="compile")

    def _compile_seconds(self, evidence: Evidence) -> float:
        """Return the seconds in which a launch must be compiled for a target."""
        stopped = any(case.failure is not None for case in evidence.cases.values())
        if self.timeout is not None and not (stopped or self.failed()):
            return self.timeout
        seconds = INSPECTING if self.resources else COMPILING_FAILED if stopped or self.failed() else COMPILING
        return seconds if self.timeout is None else min(seconds, self.timeout)

    def _begin(self, lanes: Lanes, crew: Crew, evidence: Evidence, frame: Frame) -> None:
        """Have an engine run what was recorded of a case, as soon as one is free."""
        index = self._reader.case_index(frame)
        if index is None or index in evidence.cases or index in lanes.begun:
            raise ValueError("a case came twice, or without its number")
        recorded = recorded_case(frame)
        if self._texts is None:
            self._texts = Texts(granted(evidence.confined, self._reader.file.opened, crew.recorder.folder))
            self._reader.texts = self._texts.known
            self._texts.of([str(self._reader.file.opened)])  # also where no kernel stands in it
        program = CaseProgram(index, frame.payload, self._texts.of(recorded.files))
        crew.lend(self._texts.known.values())
        findings = [self._reader.finding(item) for item in recorded.findings]
        lanes.begin(program, lambda engine: self._run(engine, program, recorded, findings, evidence))

    def _run(
        self, engine: Worker, program: CaseProgram, recorded: Recorded, findings: list[Finding], evidence: Evidence
    ) -> None:
        """Have an engine run a case."""
        if evidence.is_over:
            return
        index = program.index
        takes_long = self.cases[index].case.cached and self.failed()  # as long as all others, and it would say no more
        if takes_long or self._following.has_enough(evidence):
            evidence.left_out.add(index)
            return
        self._programs[index] = program
        engine.command("case", program.payload, case=index, texts=program.texts)
        self._following.follow(engine, evidence, stage="run", case=index)
        found = evidence.cases.get(index)
        if found is None:
            return
        evidence.cases[index] = found = replace(
            found,
            findings=[*findings, *found.findings],
            operations=recorded.operations,
            rows=self._some_rows(engine, index, found.outputs, evidence),
            gpu=self._gpus[index],
        )
        self.on_case(self.cases[index], found)
        if index in self._telling:
            self._try_others(engine, index, evidence)

    def _some_rows(self, engine: Worker, index: int, outputs: Sequence[Output], evidence: Evidence) -> SomeRows | None:
        """Return rows of the outputs of a call, the engine's last, where whole ones are too large to be sent.

        Of outputs that have not the form of the right ones there are none: what is said of them is enough.
        """
        drawn = self.cases[index]
        if drawn.drawing is None or [output.shape for output in outputs] != [wanted.shape for wanted in drawn.outputs]:
            return None
        numbers = rows_to_look_at(drawn.outputs)
        evidence.pieces = ()
        engine.command("rows", rows=numbers)
        self._following.follow(engine, evidence, stage="run", case=index)
        return SomeRows(numbers, evidence.pieces)

    def _catch_up(self, engine: Worker, lanes: Lanes, evidence: Evidence) -> None:
        """Let the engine that compiles know of what its helpers ran.

        It runs anew what an autotuner chooses in: which configurations are left out shows only then.
        """
        for program in lanes.run_by_helpers:
            known, again = evidence.cases.get(program.index), Evidence()
            chosen = known is not None and bool(known.configurations)
            engine.command("case" if chosen else "note", program.payload, case=program.index, texts=program.texts)
            self._following.follow(engine, again, stage="run", case=program.index)
            if chosen and program.index in self._telling and program.index in again.cases:
                self._try_others(engine, program.index, again)
            evidence.failure = evidence.failure or again.failure

    def _try_others(self, engine: Worker, index: int, evidence: Evidence) -> None:
        """Have the other configurations of an autotuner run on a case."""
        kept = evidence.cases[index]
        for number in range(min(len(kept.configurations), MOST_CONFIGURATIONS)):
            if number != kept.configuration and evidence.failure is None:
                engine.command("configuration", case=index, configuration=number)
                self._following.follow(engine, evidence, stage="run", case=index)

    def measure(self, crew: Crew, evidence: Evidence) -> None:
        """Ask an engine that has run every case for timings, and add them to the evidence."""
        crew.engine.command("benchmark")
        self._following.follow(crew.engine, evidence, stage="benchmark")
        if self.benchmark_case is not None and evidence.failure is None and evidence.measured is not None:
            timed = evidence.timed_outputs
            evidence.timed_rows = self._some_rows(crew.engine, self.benchmark_case, timed, evidence)

    def picture(self, crew: Crew, index: int) -> Evidence:
        """Ask an engine that has run every case to run one again and tell of every access; return what it told."""
        return self._once_more(crew.engine, "picture", index, MAX_PAYLOAD)

    def behind_l2(
        self, crew: Crew, index: int, l2: L2, times: float = 1.0, per_multiprocessor: Mapping[str, int] | None = None
    ) -> Evidence:
        """Ask an engine that has run every case what DRAM moves for one behind an L2 cache; return what it told.

        Args:
            crew: with the engine.
            index: of the case.
            l2: the cache.
            times: how many times as many programs the call has that the case stands for.
            per_multiprocessor: programs that one multiprocessor has room for, by `variant_of` a kernel, where known.
        """
        beside = {"l2": asdict(l2), "times": times, "per_multiprocessor": dict(per_multiprocessor or {})}
        return self._once_more(crew.engine, "cache", index, 0, **beside)

    def states(self, crew: Crew, index: int) -> Evidence:
        """Ask an engine that has run every case to run one again and tell what variables held; return what it told."""
        return self._once_more(crew.engine, "states", index, MAX_STATES)

    @property
    def text_file(self) -> str:
        """The file's own path among the texts of a program."""
        return str(self._reader.file.opened)

    def program(self, case: str) -> CaseProgram:
        """Return what was recorded of a case that was run, by its name."""
        return next(program for index, program in self._programs.items() if self.cases[index].name == case)

    def replay(self, crew: Crew, program: CaseProgram, more: float) -> CaseEvidence | None:
        """Have a case's program run that differs from what was recorded of it, or has other texts.

        Nothing else can be asked of the engine afterwards, but for this.

        Args:
            crew: with the engine.
            program: to be run.
            more: seconds that it may take, beside twice the time that the case took.

        Returns:
            What it gave; `None` if it ended the engine, or took too long.
        """
        evidence = Evidence()
        crew.engine.accept(max_payload_bytes(self.cases))
        crew.engine.command("replay", program.payload, case=program.index, texts=program.texts, more=more)
        self._following.follow(crew.engine, evidence, stage="replay", case=program.index)
        return evidence.cases.get(program.index)

    def _once_more(self, engine: Worker, kind: str, index: int, most_bytes: int, **told: Any) -> Evidence:
        evidence = Evidence()
        engine.accept(most_bytes)
        engine.command(kind, case=index, **told)
        self._following.follow(engine, evidence, stage=kind, case=index)
        return evidence

    def _job(self, cases: tuple[JobCase, ...]) -> Job:
        return Job(
            file=str(self._reader.file.opened),
            host=host_of(self.puzzle),
            device=self.device,
            cases=cases,
            targets=self.targets,
            benchmark=job_benchmark(self.puzzle, self.benchmark_case),
            resources=self.resources,
        )

    def _readable_in(self, folder: Path) -> Submission:
        """Return the file as the worker opens it: a copy where ptxas could not read its name."""
        opened = self.file.opened
        if (opened.name.isascii() and '"' not in str(opened)) or not opened.is_file():
            return self.file
        return replace(self.file, opened=folder / f"{self.puzzle.stem}.py")

    def _bring_copy(self) -> None:
        """Make the copy, where one is opened; a file that has gone since is told of as missing."""
        if self._reader.file is not self.file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self.file.opened, self._reader.file.opened)
